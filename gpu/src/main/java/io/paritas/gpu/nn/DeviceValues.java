/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Uploads values into new memory of the GPU; the copy is done when a method returns. The thread is bound. */
public final class DeviceValues {
    private DeviceValues() {}

    static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    static DeviceMemory upload(ByteBuffer bytes) {
        DeviceMemory memory = DeviceMemory.allocate(bytes.remaining());
        try (CudaStream stream = Gpu.current().newStream()) {
            stream.copyToDevice(memory.address(), bytes);
            stream.synchronise();
            return memory;
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
    }

    /** Uploads float32. */
    public static DeviceMemory upload(float[] values) {
        return upload(Precision.SINGLE, values);
    }

    /** Uploads values, rounded to a precision. */
    public static DeviceMemory upload(Precision precision, float[] values) {
        ByteBuffer bytes = buffer(Math.multiplyExact(values.length, precision.bytes()));
        for (float value : values) {
            precision.put(bytes, value);
        }
        return upload(bytes.flip());
    }
}
