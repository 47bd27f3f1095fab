/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.CudaGraph;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.Launch;
import io.paritas.gpu.PinnedMemory;
import io.paritas.gpu.nn.CheckResult;
import io.paritas.gpu.nn.Verdicts;
import io.paritas.inference.StoredRows;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one batch at a time runs in: a stream, an arena, and page-locked memory for input and output. A batch runs in the next larger
 * power of two of rows; the launches of each such size are recorded once, as a graph. One thread at a time may use it, bound to the
 * GPU.
 */
final class Lane implements AutoCloseable {
    private final DeviceNetwork network;
    private final CudaStream stream = Gpu.current().newStream();
    private final Map<Integer, Sized> sizes = new HashMap<>();
    /** What the checks of each step find; empty if nothing is checked. */
    private final Optional<Verdicts> verdicts;

    private Memory memory;
    /** For the rows of the last batch that was stored; null before the first. */
    private StoredValues stored;

    /** Memory for batches of up to a number of rows. */
    private static final class Memory implements AutoCloseable {
        private final int rows;
        /** With what products need besides behind it. */
        private final DeviceMemory arena;

        private final long standing;
        private final PinnedMemory inputs;
        private final PinnedMemory outputs;

        Memory(DeviceNetwork network, int rows) {
            this.rows = rows;
            NetworkPlan plan = network.plan();
            long bytes = 0;
            for (int some = rows; some > 0; some /= 2) {
                bytes = Math.max(bytes, plan.arena(some).bytes());
            }
            arena = DeviceMemory.allocate(bytes + network.standingBytes(rows));
            standing = arena.address() + bytes;
            PinnedMemory first = null;
            try {
                first = PinnedMemory.allocate(
                        Math.toIntExact(plan.buffer(plan.input()).bytes(rows)));
                outputs = PinnedMemory.allocate(
                        Math.toIntExact(plan.buffer(plan.output()).bytes(rows)));
            } catch (RuntimeException | Error e) {
                arena.close();
                if (first != null) {
                    first.close();
                }
                throw e;
            }
            inputs = first;
        }

        @Override
        public void close() {
            arena.close();
            inputs.close();
            outputs.close();
        }
    }

    /** The launches of batches of one size. */
    private static final class Sized {
        private final List<Launch> launches;
        private final long input;
        private final long output;
        private boolean ran;
        private CudaGraph graph;

        Sized(DeviceNetwork network, int rows, Memory memory, Optional<Verdicts> verdicts) {
            long base = memory.arena.address();
            NetworkPlan plan = network.plan();
            Arena arena = plan.arena(rows);
            launches = network.launches(rows, arena, base, memory.standing, verdicts);
            input = base + arena.offsets().get(plan.input().buffer());
            output = base + arena.offsets().get(plan.output().buffer());
        }

        /** The first batch runs launch by launch, and so loads the kernels; the second one records them. */
        void run(CudaStream stream) {
            if (!ran) {
                launches.forEach(launch -> launch.enqueue(stream));
                ran = true;
                return;
            }
            if (graph == null) {
                graph = CudaGraph.record(launches, stream);
            }
            graph.replay(stream);
        }

        void close() {
            if (graph != null) {
                graph.close();
            }
        }
    }

    Lane(DeviceNetwork network) {
        this.network = network;
        NetworkPlan plan = network.plan();
        try {
            this.verdicts =
                    plan.isChecked() ? Optional.of(new Verdicts(plan.steps().size(), stream)) : Optional.empty();
        } catch (RuntimeException | Error e) {
            stream.close();
            throw e;
        }
    }

    /**
     * Predicts rows.
     *
     * @param outputs room for their predictions, from position 0 to the limit
     * @return what the checks of each step found; empty if nothing is checked
     * @throws io.paritas.gpu.GpuException if the GPU fails, or has not enough memory
     */
    List<CheckResult> run(Rows rows, FloatBuffer outputs) {
        int size = size(rows.count());
        if (memory == null || memory.rows < size) {
            grow(size);
        }
        Sized sized = sizes.computeIfAbsent(size, some -> new Sized(network, some, memory, verdicts));
        bring(rows, sized.input);
        if (rows.count() < size) {
            /* What lies there may be no number, and a block of rows with such a row cannot be checked. */
            long all = network.plan().buffer(network.plan().input()).bytes(size);
            long filled = all / size * rows.count();
            stream.fill(sized.input + filled, (byte) 0, all - filled);
        }
        sized.run(stream);
        ByteBuffer to = memory.outputs.buffer().limit(outputs.limit() * Float.BYTES);
        stream.copyToHost(to, sized.output);
        verdicts.ifPresent(places -> places.fetch(stream));
        stream.synchronise();
        outputs.put(memory.outputs.buffer().asFloatBuffer().limit(outputs.limit()));
        return verdicts.map(this::found).orElse(List.of());
    }

    /** Copies rows to the GPU, where stored ones are scaled. */
    private void bring(Rows rows, long input) {
        ByteBuffer from = memory.inputs.buffer();
        if (rows instanceof Rows.Scaled scaled) {
            from.asFloatBuffer().put(scaled.values().duplicate().rewind());
            stream.copyToDevice(input, from.limit(scaled.values().limit() * Float.BYTES));
        } else if (rows instanceof Rows.Stored given) {
            StoredRows values = given.rows();
            if (stored == null || !stored.suits(values, memory.rows)) {
                forgetStored();
                stored = new StoredValues(values, memory.rows);
            }
            from.put(values.values().duplicate().rewind());
            stored.scale(values, from.flip(), input, stream);
        }
    }

    private void forgetStored() {
        if (stored != null) {
            stored.close();
            stored = null;
        }
    }

    private List<CheckResult> found(Verdicts places) {
        List<CheckResult> found = places.fetched();
        if (!found.stream().allMatch(CheckResult.NOTHING::equals)) {
            places.clear(stream);
        }
        return found;
    }

    /** The rows that a batch runs in. */
    static int size(int rows) {
        return rows == 1 ? 1 : 2 * Integer.highestOneBit(rows - 1);
    }

    /** Graphs know addresses, so they are recorded again. */
    private void grow(int rows) {
        forget();
        memory = new Memory(network, rows);
        /* Rows that a batch does not fill are computed, too: they must be numbers, for tools that look for others. */
        stream.fill(memory.arena.address(), (byte) 0, memory.arena.size());
    }

    /** Frees all memory for rows, when nothing uses it any more. The next batch takes what it needs. */
    void forget() {
        stream.synchronise();
        sizes.values().forEach(Sized::close);
        sizes.clear();
        forgetStored();
        if (memory != null) {
            memory.close();
            memory = null;
        }
    }

    @Override
    public void close() {
        forget();
        verdicts.ifPresent(Verdicts::close);
        stream.close();
    }
}
