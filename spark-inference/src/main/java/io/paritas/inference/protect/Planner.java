/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.protect.PlanningDevice.TimedLayer;
import io.paritas.inference.protect.ProtectionPlan.Layer;
import io.paritas.inference.protect.gemm.Probe;
import io.paritas.inference.protect.gemm.Scheme;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Measures every scheme on every layer of a model, and plans the fastest (thesis, 4.5.3). The schemes take turns on a layer; the
 * fastest turn of each counts, because other work on the machine only adds time.
 */
public final class Planner {
    /** Time for each layer of a plan made at loading. */
    static final Duration QUICK = Duration.ofMillis(100);

    /** The schemes to choose from. The others cost a second product, and are there for comparison. */
    static final List<Scheme> CANDIDATES = List.of(Scheme.NONE, Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED);

    private static final int FEWEST_TURNS = 3;
    private static final long SEED = 1;

    private Planner() {}

    /**
     * Plans a model for this machine, on one thread.
     *
     * @param rows rows of a batch, at least 1
     * @param each how long to measure each layer
     * @throws io.paritas.inference.ModelException as {@link ProtectedEngine#load}
     */
    public static ProtectionPlan plan(ModelFile file, int rows, Duration each) {
        check(rows, each);
        List<Layer> layers = layers(NetworkBuilder.build(Graph.of(file)), rows, each);
        return ProtectionPlan.of(file.sha256(), DeviceRates.measure(), rows, layers);
    }

    /**
     * Plans a model for another device. Only the shapes of the layers matter: the CPU need not be able to protect the model.
     *
     * @param rows rows of a batch, at least 1
     * @param each how long to measure each layer
     * @throws io.paritas.inference.ModelException if the file is no graph whose shapes are known, or the device lacks a kind of layer
     */
    public static ProtectionPlan plan(ModelFile file, int rows, Duration each, PlanningDevice device) {
        return ProtectionPlan.of(file.sha256(), device.rates(), rows, layers(file, rows, each, device));
    }

    /**
     * The fastest scheme of each layer on another device, by name: a plan without what only its reader wants to know.
     *
     * @throws io.paritas.inference.ModelException as {@link #plan}
     */
    public static List<String> schemes(ModelFile file, int rows, Duration each, PlanningDevice device) {
        return layers(file, rows, each, device).stream().map(Layer::scheme).toList();
    }

    private static List<Layer> layers(ModelFile file, int rows, Duration each, PlanningDevice device) {
        check(rows, each);
        List<Layer> layers = new ArrayList<>();
        for (LayerGeometry geometry : LinearWeights.geometries(Graph.of(file), rows)) {
            try (TimedLayer layer = device.open(geometry)) {
                layers.add(Layer.of(geometry.name(), geometry.shape(), device.valueBytes(), race(layer, each)));
            }
        }
        return layers;
    }

    private static void check(int rows, Duration each) {
        if (rows < 1 || each.isNegative() || each.isZero()) {
            throw new IllegalArgumentException("a plan is for batches of at least 1 row, measured for a positive time;"
                    + " got " + rows + " rows and " + each);
        }
    }

    /** The fastest scheme of each layer of a network on this machine. */
    static List<Scheme> schemes(Network network, int rows, Duration each) {
        return layers(network, rows, each).stream()
                .map(layer -> Scheme.named(layer.scheme()))
                .toList();
    }

    private static List<Layer> layers(Network network, int rows, Duration each) {
        network.requireRoom(rows);
        Workspace space = new Workspace(network.buffers());
        float[] input = space.room(0, rows * network.input().size());
        Random random = new Random(SEED);
        for (int i = 0; i < input.length; i++) {
            input[i] = random.nextFloat();
        }
        List<Layer> layers = new ArrayList<>();
        for (NetworkStep step : network.steps()) {
            float[] out = space.room(step.output(), rows * step.size());
            if (step.linear() != null) {
                LinearLayer layer = step.linear();
                float[] in = space.get(step.inputs().get(0));
                TimedLayer timed = (scheme, runs) -> seconds(layer, rows, in, out, scheme, runs);
                layers.add(Layer.of(layer.name(), layer.shape(rows), Float.BYTES, race(timed, each)));
            } else {
                float[][] in = step.inputs().stream().map(space::get).toArray(float[][]::new);
                step.operator().apply(rows, in, out);
            }
        }
        return layers;
    }

    private static double seconds(LinearLayer layer, int rows, float[] in, float[] out, Scheme scheme, int runs) {
        long begin = System.nanoTime();
        for (int i = 0; i < runs; i++) {
            layer.run(rows, in, out, scheme, Probe.NONE, 1, null);
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Measures a layer: seconds by scheme. */
    private static Map<String, Double> race(TimedLayer layer, Duration each) {
        Map<Scheme, Double> best = new EnumMap<>(Scheme.class);
        int repeat = 1;
        long start = System.nanoTime();
        for (int turn = 0; turn < FEWEST_TURNS || System.nanoTime() - start < each.toNanos(); turn++) {
            for (Scheme scheme : CANDIDATES) {
                best.merge(scheme, layer.seconds(scheme, repeat) / repeat, Math::min);
            }
            /* A turn must be long enough for the clock. */
            repeat = Math.max(1, (int) Math.min(1000, 50e-6 / best.get(Scheme.NONE)));
        }
        Map<String, Double> seconds = new LinkedHashMap<>();
        best.forEach((scheme, time) -> seconds.put(scheme.toString(), time));
        return seconds;
    }
}
