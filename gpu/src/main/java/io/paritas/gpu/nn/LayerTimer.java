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
 * Measures what each {@link Scheme} costs a layer on this GPU, from which a plan is made (thesis, 4.5.3): a layer of that shape,
 * on values of its own. The norms and sums of A of a {@link Product} are there after its first run, as they are behind another
 * layer. To be used by one thread.
 */
public final class LayerTimer implements AutoCloseable {
    private static final long SEED = 1;

    /** Normal values, over and over: what they are changes no time, that they are no pattern of bits makes them fair. */
    private static final int VALUES = 1 << 14;

    private record Made(CheckedLayer layer, Runnable run) {}

    private final String name;
    private final CudaStream stream;
    private final Weights weights;
    private final Activations input;
    private final Activations output;
    private final Verdict verdict;
    private final Function<Scheme, Made> layers;
    private final Map<Scheme, Made> made = new EnumMap<>(Scheme.class);

    private LayerTimer(Precision precision, int m, int n, int k, Activations a, ImageFilter filter) {
        name = filter == null ? m + " x " + n + " x " + k : filter.toString();
        stream = Gpu.get().newStream();
        float[] normal = normal();
        weights = new Weights(
                precision, k, n, (row, column) -> normal[(row * 131 + column) & (VALUES - 1)], new float[n]);
        input = a;
        fill(normal);
        output = Activations.aligned(precision, m, n);
        verdict = new Verdict(stream);
        layers = filter == null ? this::product : scheme -> convolution(scheme, filter);
    }

    /**
     * A linear layer C (M × N) = A (M × K) · B (K × N) with ReLU; binds the thread to the GPU.
     *
     * @throws IllegalArgumentException if a size is below 1
     * @throws io.paritas.gpu.GpuException if there is no GPU, or not so much memory
     */
    public static LayerTimer product(Precision precision, int m, int n, int k) {
        Gpu.get().bind();
        return new LayerTimer(precision, m, n, k, Activations.aligned(precision, m, k), null);
    }

    /**
     * A convolution with ReLU; binds the thread to the GPU.
     *
     * @param images in a batch
     * @param channels of the output
     * @throws IllegalArgumentException if a size is below 1
     * @throws io.paritas.gpu.GpuException if there is no GPU, or not so much memory
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

    /** Copies the same values behind one another. */
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

    private Made product(Scheme scheme) {
        Product product = new Product(weights, scheme, Activation.RELU);
        return new Made(product, () -> product.run(input, output, verdict, stream));
    }

    private Made convolution(Scheme scheme, ImageFilter filter) {
        Convolution convolution = new Convolution(filter, weights, scheme, Activation.RELU);
        return new Made(convolution, () -> convolution.run(input, output, verdict, stream));
    }

    /**
     * The time between the first and the last of some runs, one behind another, by the GPU's clock. A scheme's first runs also load
     * its kernels: the least of several times counts.
     *
     * @param runs at least 1
     * @return seconds
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
        Findings findings = verdict.read(stream);
        if (!findings.isClean()) {
            throw new IllegalStateException("The layer " + name + " was wrong on " + Gpu.get() + " while the scheme "
                    + scheme + " was measured: " + findings
                    + ". Measure again; if it happens twice, do not use this GPU");
        }
        return milliseconds / 1000;
    }

    /** Gives the memory back. */
    @Override
    public void close() {
        made.values().forEach(each -> each.layer().close());
        verdict.close();
        output.close();
        input.close();
        weights.close();
        stream.close();
    }
}
