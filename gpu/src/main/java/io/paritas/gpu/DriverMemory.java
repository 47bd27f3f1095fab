/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.nio.ByteBuffer;

/** Memory of CUDA's driver. */
final class DriverMemory implements MemorySource {
    private record Block(long address, long size) implements DeviceMemory {
        @Override
        public void close() {
            CudaDriver.free(address);
        }
    }

    @Override
    public boolean isInCharge() {
        return true;
    }

    @Override
    public String name() {
        return "the driver";
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        return new Block(CudaDriver.allocate(bytes), bytes);
    }

    @Override
    public PinnedMemory allocatePinned(int bytes) {
        ByteBuffer buffer = CudaDriver.allocateHost(bytes);
        return new PinnedMemory(buffer, () -> CudaDriver.freeHost(buffer));
    }
}
