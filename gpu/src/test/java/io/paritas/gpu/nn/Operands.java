/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Random matrices on the host and on the device, and what products of them are. */
final class Operands {
    static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);

    private Operands() {}

    /** A matrix whose values are those of a precision. */
    static float[] random(Random random, Precision precision, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = precision.rounded((float) random.nextGaussian());
        }
        return values;
    }

    static Weights weights(Precision precision, int k, int n, float[] b, float[] bias) {
        return new Weights(precision, k, n, (row, column) -> b[row * n + column], bias);
    }

    /** Copies rows into activations. */
    static void write(Device device, Activations to, float[] values) {
        ByteBuffer bytes =
                DeviceValues.buffer(to.rows() * to.stride() * to.precision().bytes());
        for (int i = 0; i < to.rows(); i++) {
            for (int j = 0; j < to.stride(); j++) {
                /* What lies between rows must not matter. */
                float value = j < to.columns() ? values[i * to.columns() + j] : Float.NaN;
                to.precision().put(bytes, value);
            }
        }
        device.stream.copyToDevice(to.address(), bytes.flip());
        device.stream.synchronise();
        to.changed();
    }

    /** What activations hold, without what is between rows. */
    static float[] read(Device device, Activations from) {
        int bytes = from.precision().bytes();
        ByteBuffer all = ByteBuffer.wrap(device.download(from.address(), from.rows() * from.stride() * bytes))
                .order(ByteOrder.nativeOrder());
        float[] values = new float[from.rows() * from.columns()];
        for (int i = 0; i < values.length; i++) {
            int at = (i / from.columns() * from.stride() + i % from.columns()) * bytes;
            values[i] = bytes == 2 ? Halves.toFloat(all.getShort(at)) : all.getFloat(at);
        }
        return values;
    }

    static DeviceMemory upload(Device device, float[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.nativeOrder());
        bytes.asFloatBuffer().put(values);
        return device.upload(bytes.array());
    }

    static float[] floats(byte[] bytes) {
        float[] values = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asFloatBuffer().get(values);
        return values;
    }

    /** A value of a product, and the sum of the absolute products. */
    record Exact(double value, double absolute) {}

    static Exact product(float[] a, float[] b, int m, int n, int k, int row, int column) {
        double value = 0;
        double absolute = 0;
        for (int i = 0; i < k; i++) {
            double product = (double) a[row * k + i] * b[i * n + column];
            value += product;
            absolute += Math.abs(product);
        }
        return new Exact(value, absolute);
    }
}
