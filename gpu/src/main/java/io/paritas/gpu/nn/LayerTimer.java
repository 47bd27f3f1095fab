/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaEvent;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/**
 * Measures the time of a layer of some shape with each {@link Scheme} on this GPU, to plan by (thesis, 4.5.3). It runs on
 * values of its own. The norms and sums of a {@link Gemm}'s input exist after its first run, as they do behind another layer. One
 * thread may use it.
 */
public final class LayerTimer implements AutoCloseable {
    private static final long SEED = 1;

    /** Number of normally distributed values, which repeat: their bits have no pattern that would make a GPU faster. */
    private static final int VALUES = 1 << 14;

    private record TimedLayer(CheckedLayer layer, Runnable run) {}

    private final String name;
    private final CudaStream stream;
    private final Weights weights;
    private final Activations input;
    private final Activations output;
    private final FaultBuffer faults;
    private final Function<Scheme, TimedLayer> layers;
    private final Map<Scheme, TimedLayer> made = new EnumMap<>(Scheme.class);

    private LayerTimer(Precision precision, int m, int n, int k, Activations a, ImageFilter filter) {
        name = filter == null ? m + " x " + n + " x " + k : filter.toString();
        stream = Gpu.get().newStream();
        float[] normal = normal();
        weights = new Weights(
                precision, k, n, (row, column) -> normal[(row * 131 + column) & (VALUES - 1)], new float[n]);
        input = a;
        fill(normal);
        output = Activations.aligned(precision, m, n);
        faults = new FaultBuffer(stream);
        layers = filter == null ? this::gemm : scheme -> convolution(scheme, filter);
    }

    /**
     * Returns a timer for a linear layer C (M × N) = A (M × K) · B (K × N) with ReLU; binds the thread to the GPU.
     *
     * @throws IllegalArgumentException if a size is below 1
     * @throws io.paritas.gpu.GpuException if there is no GPU, or not enough memory
     */
    public static LayerTimer gemm(Precision precision, int m, int n, int k) {
        Gpu.get().bind();
        return new LayerTimer(precision, m, n, k, Activations.aligned(precision, m, k), null);
    }

    /**
     * Returns a timer for a convolution with ReLU; binds the thread to the GPU.
     *
     * @param images in a batch
     * @param channels of the output
     * @throws IllegalArgumentException if a size is below 1
     * @throws io.paritas.gpu.GpuException if there is no GPU, or not enough memory
     */
    public static LayerTimer convolution(Precision precision, ImageFilter filter, int images, int channels) {
        Gpu.get().bind();
        Activations input = Activations.dense(precision, images, filter.imageSize());
        return new LayerTimer(precision, filter.rows(images), channels, filter.depth(), input, filter);
    }

    private static float[] normal() {
        Random random = new Random(SEED);
        float[] values = new float[VALUES];
        for (int i = 0; i < VALUES; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    /** Fills the input with repetitions of the values. */
    private void fill(float[] normal) {
        int width = input.precision().bytes();
        ByteBuffer bytes = DeviceValues.buffer(VALUES * width);
        for (float value : normal) {
            if (input.precision() == Precision.HALF) {
                bytes.putShort(Halves.of(value));
            } else {
                bytes.putFloat(value);
            }
        }
        long all = (long) input.rows() * input.stride() * width;
        try (DeviceMemory values = DeviceValues.upload(bytes.flip())) {
            for (long at = 0; at < all; at += values.size()) {
                stream.copyOnDevice(input.address() + at, values.address(), Math.min(values.size(), all - at));
            }
            stream.synchronise();
        }
    }

    private TimedLayer gemm(Scheme scheme) {
        Gemm gemm = new Gemm(weights, scheme, Activation.RELU);
        return new TimedLayer(gemm, () -> gemm.run(input, output, faults, stream));
    }

    private TimedLayer convolution(Scheme scheme, ImageFilter filter) {
        Convolution convolution = new Convolution(filter, weights, scheme, Activation.RELU);
        return new TimedLayer(convolution, () -> convolution.run(input, output, faults, stream));
    }

    /**
     * Measures consecutive runs by the GPU's clock. A scheme's first runs also load its kernels, so take the least of several
     * measurements.
     *
     * @param runs at least 1
     * @return seconds of all runs
     * @throws IllegalArgumentException if the scheme does not support the precision
     * @throws IllegalStateException if the checks found wrong values
     */
    public double seconds(Scheme scheme, int runs) {
        Runnable layer = made.computeIfAbsent(scheme, layers).run();
        double milliseconds;
        try (CudaEvent start = new CudaEvent();
                CudaEvent end = new CudaEvent()) {
            start.record(stream);
            for (int i = 0; i < runs; i++) {
                layer.run();
            }
            end.record(stream);
            end.synchronise();
            milliseconds = end.millisecondsSince(start);
        }
        CheckResult result = faults.read(stream);
        if (!result.isClean()) {
            throw new IllegalStateException(
                    "the layer " + name + " was wrong on " + Gpu.current() + " while the scheme "
                            + scheme + " was measured: " + result
                            + ": measure again; if it happens twice, do not use this GPU");
        }
        return milliseconds / 1000;
    }

    /** Frees the memory. */
    @Override
    public void close() {
        made.values().forEach(each -> each.layer().close());
        faults.close();
        output.close();
        input.close();
        weights.close();
        stream.close();
    }
}
