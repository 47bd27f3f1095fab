/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.onnx.OnnxRuntimeEngine;
import io.paritas.inference.protect.LayerLists;
import io.paritas.inference.protect.LayerLists.Layer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * What the schemes cost beside the product without a check, and that product beside ONNX Runtime's, on one core. All take turns
 * on one size, and of each the fastest turn counts: what is measured is the work, not the neighbours on the machine. Arguments:
 * seconds for each size (2), then any of the sets {@code square}, {@code dlrm}, {@code cnn} (layers of several networks), and the lists of
 * {@link LayerLists}, such as {@code resnet50-224}.
 *
 * <pre>{@code
 * java -Xmx4g --add-modules jdk.incubator.vector -cp CLASSES:TEST_CLASSES:LIBRARIES \
 *     io.paritas.inference.protect.gemm.GemmBenchmark 3 square dlrm cnn
 * }</pre>
 */
public final class GemmBenchmark {
    /** What a plan chooses from. */
    private static final List<Scheme> GUIDED = List.of(Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED);

    private GemmBenchmark() {}

    public static void main(String[] arguments) {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 2;
        List<String> sets = arguments.length > 1 ? List.of(arguments).subList(1, arguments.length) : List.of("square");
        System.out.printf(
                "Java %s, %s, %d lanes, 1 thread, best of the turns of %.1f s%n",
                Runtime.version(),
                TileChoice.current().getClass().getSimpleName(),
                TileChoice.current().lanes(),
                seconds);
        System.out.printf(
                "%-24s %8s %8s %8s %9s %9s %9s %9s %9s %9s  %s%n",
                "m x n x k",
                "AI",
                "GFLOP/s",
                "of ORT",
                "global",
                "thread",
                "two-s.",
                "weighted",
                "repl.",
                "dupl.",
                "guided");
        for (String set : sets) {
            double none = 0;
            double guided = 0;
            double global = 0;
            for (Layer size : sizes(set)) {
                double[] measured = run(size, seconds);
                none += measured[0];
                global += measured[1];
                guided += measured[2];
            }
            System.out.printf(
                    Locale.ROOT,
                    "%s together: global %+.1f %%, guided %+.1f %%%n",
                    set,
                    (global / none - 1) * 100,
                    (guided / none - 1) * 100);
        }
    }

    private static List<Layer> sizes(String set) {
        List<Layer> sizes = new ArrayList<>();
        switch (set) {
            case "dlrm" -> {
                for (int batch : new int[] {1, 256, 2048}) {
                    sizes.addAll(LayerLists.of("dlrm-bottom-" + batch));
                    sizes.addAll(LayerLists.of("dlrm-top-" + batch));
                }
            }
            case "cnn" -> {
                sizes.add(new Layer("coral conv 1", 2500, 16, 27));
                sizes.add(new Layer("coral conv 2", 2500, 16, 144));
                sizes.add(new Layer("coral fc 1", 64, 128, 10000));
                sizes.add(new Layer("coral fc 2", 64, 2, 128));
                sizes.add(new Layer("roundabout conv 2", 2500, 32, 288));
                sizes.add(new Layer("taipei conv 2", 2500, 64, 576));
                sizes.add(new Layer("resnet50 conv1", 12544, 64, 147));
                sizes.add(new Layer("resnet50 2.3x3", 3136, 64, 576));
                sizes.add(new Layer("resnet50 2.1x1", 3136, 256, 64));
                sizes.add(new Layer("resnet50 3.3x3", 784, 128, 1152));
                sizes.add(new Layer("resnet50 4.3x3", 196, 256, 2304));
                sizes.add(new Layer("resnet50 5.3x3", 49, 512, 4608));
                sizes.add(new Layer("resnet50 fc", 1, 1000, 2048));
            }
            default -> LayerLists.of(set).stream().distinct().forEach(sizes::add);
        }
        return sizes;
    }

    /** Fastest turns without a check, with global and with the cheaper of what a plan chooses from. */
    private static double[] run(Layer size, double seconds) {
        Sample sample = Sample.of(new Random(1), TileChoice.current(), size.m(), size.n(), size.k(), 1);
        Map<Scheme, Double> best = new EnumMap<>(Scheme.class);
        double ort = Double.MAX_VALUE;
        GraphBuilder builder = new GraphBuilder(size.k());
        Graph graph = Initialisation.PYTORCH.apply(builder.output(builder.linear(builder.input(), size.n())), 1);
        FloatBuffer inputs = Model.direct(size.m() * size.k()).put(sample.a()).clear();
        FloatBuffer outputs = Model.direct(size.m() * size.n());
        int repeat = (int) Math.max(1, 2e6 / size.operations());
        try (Model model =
                new OnnxRuntimeEngine().load(graph.toModelFile(), ModelOptions.DEFAULT.withDevice(Device.CPU))) {
            long end = System.nanoTime() + (long) (seconds * 1e9);
            for (int turn = 0; turn < 5 || System.nanoTime() < end; turn++) {
                for (Scheme scheme : Scheme.values()) {
                    long start = System.nanoTime();
                    for (int i = 0; i < repeat; i++) {
                        sample.run(scheme, Probe.NONE);
                    }
                    best.merge(scheme, (System.nanoTime() - start) / 1e9 / repeat, Math::min);
                }
                long start = System.nanoTime();
                for (int i = 0; i < repeat; i++) {
                    model.predict(size.m(), inputs.clear(), outputs.clear());
                }
                ort = Math.min(ort, (System.nanoTime() - start) / 1e9 / repeat);
            }
        }
        double none = best.get(Scheme.NONE);
        Scheme chosen = GUIDED.stream().min(Comparator.comparing(best::get)).orElseThrow();
        System.out.printf(
                Locale.ROOT,
                "%-24s %8.1f %8.1f %8.2f %s  %s %+.1f %%  %s%n",
                size.m() + " x " + size.n() + " x " + size.k(),
                size.intensity(Float.BYTES),
                size.operations() / none / 1e9,
                ort / none,
                Arrays.stream(Scheme.values())
                        .skip(1)
                        .map(scheme -> String.format(Locale.ROOT, "%+8.1f%%", (best.get(scheme) / none - 1) * 100))
                        .reduce("", (left, right) -> left + " " + right),
                chosen,
                (best.get(chosen) / none - 1) * 100,
                size.list());
        return new double[] {none, best.get(Scheme.GLOBAL), best.get(chosen)};
    }
}
