/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import io.paritas.gpu.GpuSettings;
import io.paritas.gpu.nn.CheckResult;
import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.DeviceLostException;
import io.paritas.inference.Hardware;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.StoredInput;
import io.paritas.inference.StoredRows;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.protect.CorruptionException;
import io.paritas.inference.protect.LayerFindings;
import java.lang.System.Logger.Level;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A network on the GPU. Threads share its weights; as many batches run at a time as there are lanes, others wait. */
final class GpuModel extends CheckedModel {
    private static final System.Logger LOG = System.getLogger(GpuModel.class.getName());

    private static final long MIB = 1 << 20;

    /** Models that are not closed, for memory that they hold and do not use. */
    private static final Set<GpuModel> LOADED = ConcurrentHashMap.newKeySet();

    private final Gpu gpu;
    private final DeviceNetwork network;
    private final int allowedRows;
    private volatile int mostRows;
    private final Semaphore free;
    private final Queue<Lane> idle = new ConcurrentLinkedQueue<>();

    private GpuModel(TensorSpec input, TensorSpec output, DeviceNetwork network, Limits limits) {
        super(GpuEngine.NAME, input, output, Device.CUDA);
        this.gpu = Gpu.current();
        this.network = network;
        this.allowedRows = limits.rows(network.plan());
        this.mostRows = allowedRows;
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
        Gpu gpu = Gpu.current();
        DeviceNetwork network = inIdleMemory(gpu, () -> new DeviceNetwork(plan));
        GpuModel model = new GpuModel(input, output, network, limits);
        LOADED.add(model);
        try {
            model.run(new Rows.Scaled(1, Model.direct(input.size())), Model.direct(output.size()));
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
        return model;
    }

    /** Does what takes memory. If there is too little, models give back what nobody uses at the moment, and it is tried again. */
    static <T> T inIdleMemory(Gpu gpu, Supplier<T> work) {
        try {
            return work.get();
        } catch (GpuException e) {
            if (!e.isOutOfMemory() || !forgetIdleLanes(gpu)) {
                throw e;
            }
            return work.get();
        }
    }

    /** Returns whether there were any. */
    static boolean forgetIdleLanes(Gpu gpu) {
        return LOADED.stream()
                        .filter(model -> model.gpu == gpu)
                        .mapToInt(GpuModel::forgetIdleLanes)
                        .sum()
                > 0;
    }

    /**
     * If depths are divided, by how many rows and multiprocessors there are, a GPU without room for whole batches computes other bits than its
     * equals, and so does one of the same name with more multiprocessors.
     */
    @Override
    public Hardware hardware() {
        String kind = gpu.name();
        if (GpuSettings.SPLIT_K.get()) {
            kind += " with " + gpu.multiprocessors() + " multiprocessors";
            kind += mostRows == allowedRows ? "" : " and " + mostRows + " rows at once";
        }
        return new Hardware(kind, gpu.uuid());
    }

    @Override
    public Optional<StoredInput> storedInput() {
        return Optional.of(this::predict);
    }

    private void predict(StoredRows rows, FloatBuffer outputs) {
        if (rows.size() != input().size()) {
            throw new IllegalArgumentException(
                    "stored rows must have the " + input().size() + " values of " + input() + ", got " + rows.size());
        }
        predict(rows.rows(), outputs, room -> compute(new Rows.Stored(rows), room));
    }

    @Override
    protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        compute(new Rows.Scaled(rows, inputs), outputs);
    }

    private void compute(Rows rows, FloatBuffer outputs) {
        try {
            gpu.whileBound(() -> run(rows, outputs));
        } catch (GpuException e) {
            throw failure("gpu cannot predict " + rows.count() + " rows of " + input() + " into " + output(), gpu, e);
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
        if (!e.isOutOfMemory()) {
            return new ModelException(sentence, e);
        }
        String free;
        try {
            free = "; " + gpu.freeBytes() / MIB + " MiB of the GPU are free";
        } catch (GpuException silent) {
            if (silent.isLost()) {
                return failure(what, gpu, silent);
            }
            free = ""; // there is no room for the context, without which the driver does not say
        }
        return new ModelException(
                sentence + free
                        + ": predict fewer rows at once (on Spark, with the option batchRows), lower"
                        + " io.paritas.gpu.network.arena or lanes, or let fewer processes share the GPU",
                e);
    }

    private void run(Rows rows, FloatBuffer outputs) {
        free.acquireUninterruptibly();
        try {
            Lane used = idle.poll();
            Lane lane = used == null ? inIdleMemory(gpu, () -> new Lane(network)) : used;
            try {
                int row = 0;
                while (row < rows.count()) {
                    int some = Math.min(mostRows, rows.count() - row);
                    row += runAtMost(lane, rows.part(row, some), part(outputs, row, some));
                }
            } catch (RuntimeException | Error e) {
                giveUp(lane, e);
                throw e;
            }
            idle.add(lane);
        } finally {
            free.release();
        }
    }

    /** A lane that has failed is not used again: its stream may still have work of the batch. */
    private static void giveUp(Lane lane, Throwable reason) {
        try {
            lane.close();
        } catch (GpuException e) {
            reason.addSuppressed(e); // a lost GPU: its memory is freed when the process ends
        }
    }

    /** Predicts rows, or the first half of them if the GPU's memory is full, and then never so many again. Returns how many. */
    private int runAtMost(Lane lane, Rows rows, FloatBuffer outputs) {
        int count = rows.count();
        try {
            return inIdleMemory(gpu, () -> checked(lane, rows, outputs.rewind()));
        } catch (GpuException e) {
            if (!e.isOutOfMemory() || count == 1) {
                throw e;
            }
            int half = Lane.size(count) / 2;
            LOG.log(Level.WARNING, "Paritas: {0} has no room for {1} rows, {2} are tried: {3}", gpu, count, half, e);
            forgetIdleLanes(gpu);
            lane.forget();
            try {
                checked(lane, rows.part(0, half), part(outputs, 0, half));
            } catch (GpuException again) {
                throw again.isOutOfMemory()
                        ? again.explained(half + " of them have no room, either: " + again.getMessage())
                        : again;
            }
            mostRows = Math.min(mostRows, half);
            return half;
        }
    }

    /**
     * Predicts rows. If the checks find wrong values, all layers are computed once more.
     *
     * @return how many
     * @throws CorruptionException if they find some again
     */
    private int checked(Lane lane, Rows rows, FloatBuffer outputs) {
        int count = rows.count();
        List<String> wrong = wrong(count, lane.run(rows, outputs));
        if (wrong.isEmpty()) {
            return count;
        }
        List<String> again = wrong(count, lane.run(rows, outputs.rewind()));
        wrong.stream().filter(layer -> !again.contains(layer)).forEach(layer -> LayerFindings.current()
                .rightAgain(new LayerFindings.Where(layer, count, where(gpu))));
        again.stream().findFirst().ifPresent(layer -> {
            throw LayerFindings.current().wrongAgain(new LayerFindings.Where(layer, count, where(gpu)));
        });
        return count;
    }

    /** A GPU, for messages about wrong values. */
    static String where(Gpu gpu) {
        return "the GPU " + gpu.name() + " (" + gpu.uuid() + ")";
    }

    /** Counts what was checked, and returns the layers in which something was wrong. */
    private List<String> wrong(int rows, List<CheckResult> found) {
        if (found.isEmpty()) {
            return List.of();
        }
        long unchecked = found.stream().mapToLong(CheckResult::unchecked).sum();
        LayerFindings.current().checked(network.plan().comparisons(Lane.size(rows)), unchecked);
        return IntStream.range(0, found.size())
                .filter(step -> !found.get(step).isClean())
                .mapToObj(network.plan().operators()::get)
                .distinct()
                .toList();
    }

    /** Returns how many there were. */
    private int forgetIdleLanes() {
        int lanes = 0;
        for (Lane lane = idle.poll(); lane != null; lane = idle.poll()) {
            lane.close();
            lanes++;
        }
        return lanes;
    }

    private FloatBuffer part(FloatBuffer outputs, int row, int rows) {
        return outputs.slice(row * output().size(), rows * output().size());
    }

    /** The memory of a GPU that is lost is freed when the process ends. */
    @Override
    protected void free() {
        LOADED.remove(this);
        if (gpu.lost().isEmpty()) {
            gpu.whileBound(() -> {
                forgetIdleLanes();
                network.close();
            });
        }
    }
}
