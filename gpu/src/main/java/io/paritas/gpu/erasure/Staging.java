/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.RangeFolds;
import io.paritas.erasure.kernel.Regions;
import io.paritas.gpu.Closings;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.PinnedMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Moves units from the host through the GPU and back, chunk by chunk: while one chunk is copied and computed, the next one is
 * put into page-locked memory. One thread at a time may use it, bound to the GPU.
 */
final class Staging implements AutoCloseable {
    /** Alignment of units on the GPU: that of its memory transactions. */
    private static final int ALIGNMENT = 256;

    private final Gpu gpu;
    private final int slotBytes;
    private final Closings closings = new Closings();
    private final List<Slot> slots;

    /** @param bytes size of the page-locked memory and of the memory on the GPU */
    Staging(Gpu gpu, int bytes) {
        this.gpu = gpu;
        // All units of a code fit into a slot, however small it is asked to be.
        slotBytes = Math.max(bytes / 2, ColumnKernel.MAX_UNITS * ALIGNMENT);
        try {
            slots = List.of(new Slot(), new Slot());
        } catch (RuntimeException | Error e) {
            closings.close();
            throw e;
        }
    }

    /** Computes the outputs from the inputs, and adds both to the folds while they are in the cache. */
    void run(DeviceKernel kernel, Regions inputs, Regions outputs, RangeFolds folds) {
        Units units = new Units(inputs, outputs, folds);
        int chunk = slotBytes / (inputs.count() + outputs.count()) / ALIGNMENT * ALIGNMENT;
        int next = 0;
        int size;
        for (int from = 0; from < units.length; from += size) {
            size = Math.min(chunk, units.length - from);
            Slot slot = slots.get(next);
            slot.finish(units);
            slot.start(kernel, units, from, size);
            next = 1 - next;
        }
        slots.get(next).finish(units);
        slots.get(1 - next).finish(units);
    }

    /** The units of one run, as buffers. */
    private static final class Units {
        final ByteBuffer[] inputs;
        final ByteBuffer[] outputs;
        final int length;
        final RangeFolds folds;

        Units(Regions inputs, Regions outputs, RangeFolds folds) {
            this.inputs = views(inputs);
            this.outputs = views(outputs);
            this.length = inputs.length();
            this.folds = folds;
        }

        private static ByteBuffer[] views(Regions regions) {
            ByteBuffer[] views = new ByteBuffer[regions.count()];
            Arrays.setAll(views, regions::view);
            return views;
        }
    }

    /** One of the two chunks, with its memory. */
    private final class Slot {
        private final ByteBuffer host = closings.add(PinnedMemory.allocate(slotBytes), PinnedMemory::close)
                .buffer();
        private final DeviceMemory memory = closings.add(DeviceMemory.allocate(slotBytes));
        private final CudaStream stream = closings.add(gpu.newStream(), CudaStream::close);
        /** The range of the units that is being computed; none if the size is 0. */
        private int from;

        private int size;

        private int stride() {
            return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }

        void start(DeviceKernel kernel, Units units, int chunkFrom, int chunkSize) {
            from = chunkFrom;
            size = chunkSize;
            int stride = stride();
            for (int i = 0; i < units.inputs.length; i++) {
                ByteBuffer unit = units.inputs[i];
                host.put(i * stride, unit, unit.position() + from, size);
                units.folds.addInput(i, unit.slice(unit.position() + from, size));
            }
            int inputBytes = units.inputs.length * stride;
            long firstOutput = memory.address() + inputBytes;
            stream.copyToDevice(memory.address(), host.slice(0, inputBytes));
            kernel.apply(
                    DeviceRegions.of(size, memory.address(), stride, units.inputs.length),
                    DeviceRegions.of(size, firstOutput, stride, units.outputs.length),
                    stream);
            stream.copyToHost(host.slice(inputBytes, units.outputs.length * stride), firstOutput);
        }

        void finish(Units units) {
            if (size == 0) {
                return;
            }
            stream.synchronise();
            int stride = stride();
            for (int i = 0; i < units.outputs.length; i++) {
                ByteBuffer unit = units.outputs[i];
                unit.put(unit.position() + from, host, (units.inputs.length + i) * stride, size);
                units.folds.addOutput(i, unit.slice(unit.position() + from, size));
            }
            size = 0;
        }
    }

    /** Waits for the GPU, which may still be writing if a run has failed. */
    @Override
    public void close() {
        slots.forEach(slot -> slot.stream.synchronise());
        closings.close();
    }
}
