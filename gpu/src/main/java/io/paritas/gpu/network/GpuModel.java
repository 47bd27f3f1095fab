/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import io.paritas.gpu.nn.CheckResult;
import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.DeviceLostException;
import io.paritas.inference.Hardware;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.protect.CorruptionException;
import io.paritas.inference.protect.ProtectionCounts;
import io.paritas.inference.protect.WrongLayers;
import java.lang.System.Logger.Level;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/** A network on the GPU. Threads share its weights; as many batches run at a time as there are lanes, others wait. */
final class GpuModel extends CheckedModel {
    private static final System.Logger LOG = System.getLogger(GpuModel.class.getName());

    private static final long MIB = 1 << 20;

    private final Gpu gpu;
    private final DeviceNetwork network;
    private volatile int mostRows;
    private final Semaphore free;
    private final Queue<Lane> idle = new ConcurrentLinkedQueue<>();

    private GpuModel(TensorSpec input, TensorSpec output, DeviceNetwork network, Limits limits) {
        super(input, output, Device.CUDA);
        this.gpu = Gpu.current();
        this.network = network;
        this.mostRows = limits.rows(network.plan());
        this.free = new Semaphore(limits.lanes());
    }

    /**
     * What a model may take of the GPU.
     *
     * @param lanes batches that run at a time
     * @param bytes of the arena of each
     */
    record Limits(int lanes, long bytes) {
        /** The largest batch, and no graph for a larger one. */
        private static final int MOST_ROWS = 1024;

        /** The largest power of two of rows whose arena fits; at least 1. */
        int rows(NetworkPlan plan) {
            int rows = MOST_ROWS;
            while (rows > 1 && !fits(plan, rows)) {
                rows /= 2;
            }
            return rows;
        }

        private boolean fits(NetworkPlan plan, int rows) {
            return plan.uses(rows).stream().allMatch(use -> use.bytes() < Integer.MAX_VALUE)
                    && plan.arena(rows).bytes() <= bytes;
        }
    }

    /**
     * Uploads a network to the GPU that the thread is bound to, and predicts a row of zeros, so that a model that cannot run fails now.
     *
     * @throws GpuException if the GPU fails, or has not enough memory
     */
    static GpuModel load(TensorSpec input, TensorSpec output, NetworkPlan plan, Limits limits) {
        DeviceNetwork network = new DeviceNetwork(plan);
        GpuModel model = new GpuModel(input, output, network, limits);
        try {
            model.run(1, Model.direct(input.size()), Model.direct(output.size()));
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
        return model;
    }

    @Override
    public Hardware hardware() {
        return new Hardware(gpu.name(), gpu.uuid());
    }

    @Override
    protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        try {
            gpu.bind();
            run(rows, inputs, outputs);
        } catch (GpuException e) {
            String halved = e.isOutOfMemory() ? ", nor half of them," : "";
            throw failure(
                    "gpu cannot predict " + rows + " rows" + halved + " of " + input() + " into " + output(), gpu, e);
        }
    }

    /** What a failure of a GPU is for those who use models. */
    static ModelException failure(String what, Gpu gpu, GpuException e) {
        String sentence = what + " on " + gpu + ": " + e.getMessage();
        if (e.isLost()) {
            return new DeviceLostException(
                    sentence + ": the GPU " + gpu.uuid()
                            + " is lost to this process: start it again, and if that happens"
                            + " once more, take the GPU out of service",
                    e);
        }
        return new ModelException(
                e.isOutOfMemory()
                        ? sentence + "; " + gpu.freeBytes() / MIB
                                + " MiB are free: predict fewer rows at once (on Spark, with the option batchRows), lower"
                                + " io.paritas.gpu.network.arena or lanes, or let fewer processes share the GPU"
                        : sentence,
                e);
    }

    private void run(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        free.acquireUninterruptibly();
        try {
            Lane used = idle.poll();
            Lane lane = used == null ? new Lane(network) : used;
            try {
                int row = 0;
                while (row < rows) {
                    int some = Math.min(mostRows, rows - row);
                    row += runAtMost(some, lane, part(inputs, row, some, input()), part(outputs, row, some, output()));
                }
            } finally {
                idle.add(lane);
            }
        } finally {
            free.release();
        }
    }

    /** Predicts rows, or the first half of them if the GPU's memory is full, and then never so many again. Returns how many. */
    private int runAtMost(int rows, Lane lane, FloatBuffer inputs, FloatBuffer outputs) {
        try {
            checked(rows, lane, inputs, outputs);
            return rows;
        } catch (GpuException e) {
            if (!e.isOutOfMemory() || rows == 1) {
                throw e;
            }
            int half = Lane.size(rows) / 2;
            LOG.log(Level.WARNING, "Paritas: {0} has no room for {1} rows, {2} are tried: {3}", gpu, rows, half, e);
            forgetIdleLanes();
            checked(half, lane, part(inputs, 0, half, input()), part(outputs, 0, half, output()));
            mostRows = Math.min(mostRows, half);
            return half;
        }
    }

    /**
     * Predicts rows. If the checks find wrong values, all layers are computed once more.
     *
     * @throws CorruptionException if they find some again
     */
    private void checked(int rows, Lane lane, FloatBuffer inputs, FloatBuffer outputs) {
        List<String> wrong = wrong(rows, lane.run(rows, inputs, outputs));
        if (wrong.isEmpty()) {
            return;
        }
        List<String> again = wrong(rows, lane.run(rows, inputs.rewind(), outputs.rewind()));
        wrong.stream()
                .filter(layer -> !again.contains(layer))
                .forEach(layer -> WrongLayers.found(layer, rows, where(), false));
        again.forEach(layer -> WrongLayers.found(layer, rows, where(), true));
    }

    private String where() {
        return "the GPU " + gpu.name() + " (" + gpu.uuid() + ")";
    }

    /** Counts what was checked, and returns the layers in which something was wrong. */
    private List<String> wrong(int rows, List<CheckResult> found) {
        if (found.isEmpty()) {
            return List.of();
        }
        long unchecked = found.stream().mapToLong(CheckResult::unchecked).sum();
        new ProtectionCounts(network.plan().comparisons(Lane.size(rows)), unchecked, 0, 0).count();
        return IntStream.range(0, found.size())
                .filter(step -> !found.get(step).isClean())
                .mapToObj(network.plan().operators()::get)
                .distinct()
                .toList();
    }

    private void forgetIdleLanes() {
        for (Lane lane = idle.poll(); lane != null; lane = idle.poll()) {
            lane.close();
        }
    }

    private static FloatBuffer part(FloatBuffer buffer, int row, int rows, TensorSpec spec) {
        return buffer.slice(row * spec.size(), rows * spec.size());
    }

    /** The memory of a GPU that is lost is freed when the process ends. */
    @Override
    protected void free() {
        if (gpu.lost().isEmpty()) {
            gpu.bind();
            forgetIdleLanes();
            network.close();
        }
    }
}
