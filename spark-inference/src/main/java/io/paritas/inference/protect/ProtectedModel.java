/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Hardware;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.protect.gemm.Findings;
import io.paritas.inference.protect.gemm.Gemm;
import io.paritas.inference.protect.gemm.Probe;
import io.paritas.inference.protect.gemm.Scheme;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * A network that checks what it computes. A layer with wrong values is computed again; if it is wrong again, the batch fails with
 * a {@link CorruptionException}. {@link LayerFindings} has what was found.
 */
public final class ProtectedModel extends CheckedModel {
    private static final String HERE = "this machine";

    private final Network network;
    private final ImageShape inputImage;
    private final ImageShape outputImage;
    private final List<Scheme> schemes;
    private final boolean checksOperators;
    private final int threads;
    private final ExecutorService helpers;
    private final Supplier<LayerProbes> disturbance;
    private final ConcurrentLinkedQueue<Workspace> idle = new ConcurrentLinkedQueue<>();

    /** @param schemes a scheme for each convolution or linear layer; if all are none, nothing is checked */
    ProtectedModel(Network network, List<Scheme> schemes, int threads, Supplier<LayerProbes> disturbance) {
        super(ProtectedEngine.NAME, network.input(), network.output(), Device.CPU);
        this.network = network;
        this.inputImage = ImageShape.of(network.input().shape());
        this.outputImage = ImageShape.of(network.output().shape());
        this.schemes = schemes;
        this.checksOperators = schemes.stream().anyMatch(scheme -> scheme != Scheme.NONE);
        this.threads = threads;
        this.helpers = threads == 1 ? null : Executors.newFixedThreadPool(threads - 1, ProtectedModel::helper);
        this.disturbance = disturbance;
    }

    /**
     * Loads a model with probes, for studies of faults.
     *
     * @param scheme scheme of all convolutions and linear layers
     * @throws io.paritas.inference.ModelException as {@link ProtectedEngine#load}
     */
    public static ProtectedModel disturbed(ModelFile file, Scheme scheme, LayerProbes disturbance) {
        Network network = NetworkBuilder.build(Graph.of(file));
        List<Scheme> schemes = network.linear().stream().map(layer -> scheme).toList();
        return new ProtectedModel(network, schemes, ModelOptions.DEFAULT.threads(), () -> disturbance);
    }

    private static Thread helper(Runnable work) {
        Thread thread = new Thread(work, "paritas-protected");
        thread.setDaemon(true);
        return thread;
    }

    /** Names of the convolutions and linear layers, in the order of their numbers. */
    public List<String> layers() {
        return network.linear().stream().map(LinearLayer::name).toList();
    }

    /** The sizes of a layer's matrix products for a batch of that many rows. */
    public LayerShape shape(int layer, int rows) {
        return network.linear().get(layer).shape(rows);
    }

    /** The schemes of the layers. */
    public List<Scheme> schemes() {
        return schemes;
    }

    /** Names the arithmetic, too: other last bits are another kind. */
    @Override
    public Hardware hardware() {
        return new Hardware(super.hardware().kind() + " in " + Gemm.arithmetic(), "");
    }

    @Override
    protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        network.requireRoom(rows);
        Workspace space = idle.poll();
        space = space == null ? new Workspace(network.buffers()) : space;
        try {
            read(rows, inputs, space);
            LayerProbes disturbing = disturbance.get();
            int layer = 0;
            for (NetworkStep step : network.steps()) {
                if (step.linear() != null) {
                    linear(step, layer, rows, space, disturbing);
                    layer++;
                } else {
                    operator(step, rows, space);
                }
            }
            write(rows, space, outputs);
        } finally {
            idle.add(space);
        }
    }

    private void read(int rows, FloatBuffer inputs, Workspace space) {
        int size = rows * input().size();
        if (inputImage.isFlat()) {
            inputs.get(space.room(0, size), 0, size);
        } else {
            float[] channelsFirst = space.again(size);
            inputs.get(channelsFirst, 0, size);
            inputImage.toMemory(rows, channelsFirst, space.room(0, size));
        }
    }

    private void write(int rows, Workspace space, FloatBuffer outputs) {
        float[] result = space.get(network.result());
        int size = rows * output().size();
        if (!outputImage.isFlat()) {
            float[] channelsFirst = space.again(size);
            outputImage.toChannelsFirst(rows, result, channelsFirst);
            result = channelsFirst;
        }
        outputs.put(result, 0, size);
    }

    private void linear(NetworkStep step, int layer, int rows, Workspace space, LayerProbes disturbing) {
        Findings findings = run(step, layer, rows, space, disturbing.of(layer));
        if (findings.faults() > 0) {
            int size = rows * step.size();
            float[] out = space.get(step.output());
            float[] before = space.again(size);
            System.arraycopy(out, 0, before, 0, size);
            boolean again = run(step, layer, rows, space, disturbing.of(layer)).faults() > 0;
            if (again && Arrays.equals(out, 0, size, before, 0, size) && !isFinite(out, size)) {
                throw LayerFindings.current().overflow(where(step, rows));
            }
            found(step, rows, again);
        }
    }

    /** A step had wrong values, and was computed once more. */
    private static void found(NetworkStep step, int rows, boolean wrongAgain) {
        if (wrongAgain) {
            throw LayerFindings.current().wrongAgain(where(step, rows));
        }
        LayerFindings.current().rightAgain(where(step, rows));
    }

    private static LayerFindings.Where where(NetworkStep step, int rows) {
        return new LayerFindings.Where(step.name(), rows, HERE);
    }

    private static boolean isFinite(float[] values, int size) {
        for (int i = 0; i < size; i++) {
            if (!Float.isFinite(values[i])) {
                return false;
            }
        }
        return true;
    }

    private Findings run(NetworkStep step, int layer, int rows, Workspace space, Probe probe) {
        float[] in = space.get(step.inputs().get(0));
        float[] out = space.room(step.output(), rows * step.size());
        Findings findings = step.linear().run(rows, in, out, schemes.get(layer), probe, threads, helpers);
        LayerFindings.current().checked(findings.checks(), findings.unchecked());
        return findings;
    }

    private void operator(NetworkStep step, int rows, Workspace space) {
        float[][] in = step.inputs().stream().map(space::get).toArray(float[][]::new);
        int size = rows * step.size();
        float[] out = space.room(step.output(), size);
        step.operator().apply(rows, in, out);
        if (checksOperators && differs(step, rows, in, out, space)) {
            step.operator().apply(rows, in, out);
            found(step, rows, differs(step, rows, in, out, space));
        }
    }

    private static boolean differs(NetworkStep step, int rows, float[][] in, float[] out, Workspace space) {
        int size = rows * step.size();
        float[] again = space.again(size);
        step.operator().apply(rows, in, again);
        LayerFindings.current().checked(1, 0);
        return !Arrays.equals(out, 0, size, again, 0, size);
    }

    @Override
    protected void free() {
        if (helpers != null) {
            helpers.shutdown();
        }
    }
}
