/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Closings;
import io.paritas.gpu.CudaEvent;
import io.paritas.gpu.CudaGraph;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.Launch;
import io.paritas.gpu.nn.CheckedWeights.BlockSums;
import io.paritas.gpu.nn.CheckedWeights.Checks;
import io.paritas.gpu.nn.CheckedWeights.Measures;
import io.paritas.gpu.nn.NetworkLaunches.GroupWeights;
import io.paritas.gpu.nn.NetworkLaunches.Target;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.function.Function;

/**
 * Measures the time of a layer of some shape with each {@link Scheme} on the GPU that the thread is bound to, to plan by (thesis, 4.5.3).
 * Its launches are those of a network, replayed from a graph as a network replays them. It runs on values of its own. Norms of its input
 * are known, as behind another layer. One thread may use it.
 */
public final class LayerTimer implements AutoCloseable {
    private static final long SEED = 1;

    /** Number of normally distributed values, which repeat: their bits have no pattern that would make a GPU faster. */
    private static final int VALUES = 1 << 14;

    private final CudaStream stream;
    private final Verdicts verdict;
    private final Closings closings = new Closings();
    private final Map<Repeated, CudaGraph> graphs = new HashMap<>();
    private final Function<Scheme, List<Launch>> launches;

    /** Runs one after another. */
    private record Repeated(Scheme scheme, int runs) {}

    /** How the launches of a layer are made, whose output has that many rows and columns. */
    private record Shape(Precision precision, Optional<ImageWindow> window, int m, int n, int k) {}

    private LayerTimer(Function<LayerTimer, Function<Scheme, List<Launch>>> launches) {
        stream = closings.add(Gpu.current().newStream(), CudaStream::close);
        try {
            verdict = closings.add(new Verdicts(1, stream), Verdicts::close);
            this.launches = launches.apply(this);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * Returns a timer for a linear layer C (M × N) = A (M × K) · B (K × N) with ReLU.
     *
     * @throws IllegalArgumentException if a size is below 1
     * @throws io.paritas.gpu.GpuException if there is no GPU, or not enough memory
     */
    public static LayerTimer gemm(Precision precision, int m, int n, int k) {
        Gpu.current().bind();
        Shape shape = new Shape(precision, Optional.empty(), m, n, k);
        return new LayerTimer(timer -> timer.product(shape, (long) m * k));
    }

    /**
     * Returns a timer for a convolution with ReLU.
     *
     * @param images in a batch
     * @param channels of the output
     * @throws IllegalArgumentException if a size is below 1
     * @throws io.paritas.gpu.GpuException if there is no GPU, or not enough memory
     */
    public static LayerTimer convolution(Precision precision, ImageWindow window, int images, int channels) {
        Gpu.current().bind();
        Shape shape = new Shape(
                precision,
                Optional.of(window),
                Math.multiplyExact(images, window.positions()),
                channels,
                Math.multiplyExact(window.taps(), window.channels()));
        return new LayerTimer(timer -> timer.product(shape, window.values(images)));
    }

    /**
     * Returns a timer for a convolution in groups of channels with ReLU. It has no schemes: whatever is asked for but {@link Scheme#NONE} is
     * a second run, compared bit by bit.
     *
     * @param images in a batch
     * @param channels of the output
     * @throws io.paritas.gpu.GpuException if there is no GPU, or not enough memory
     */
    public static LayerTimer groupedConvolution(
            Precision precision, ImageWindow window, int groups, int images, int channels) {
        Gpu.current().bind();
        return new LayerTimer(timer -> timer.groups(precision, window, groups, images, channels));
    }

    private Function<Scheme, List<Launch>> product(Shape shape, long inputs) {
        float[] normal = normal();
        Weights.Entries entries = (row, column) -> normal[(row * 131 + column) & (VALUES - 1)];
        Weights weights = closings.add(
                new Weights(shape.precision, shape.k, shape.n, entries, new float[shape.n]), Weights::close);
        long input = values(shape.precision, inputs).address();
        long output = zeros((long) shape.m * shape.n * shape.precision.bytes());
        Target target = new Target(input, shape.m, output, shape.precision, 0, Activation.RELU);
        long splitK = zeros(SplitK.bytes());
        long pixels = shape.window
                .map(window -> (long) shape.m / window.positions() * window.pixels())
                .orElse((long) shape.m);
        Measures ofInput = new Measures(zeros(pixels * Float.BYTES), 1);
        Measures ofOutput = new Measures(zeros((long) shape.m * weights.blocks() * Float.BYTES), weights.blocks());
        return scheme -> {
            CheckedWeights checked = closings.add(new CheckedWeights(weights, scheme), CheckedWeights::close);
            boolean measures = scheme.needsNorms();
            Checks checks = new Checks(
                    ofInput,
                    new BlockSums(
                            zeros(checked.sums(shape.m) * Float.BYTES),
                            zeros((long) Weights.blocks(shape.m) * Integer.BYTES)),
                    measures ? ofOutput : Measures.NONE,
                    verdict.address(0));
            List<Launch> all = NetworkLaunches.product(checked, shape.window, target, splitK, checks, measures);
            if (!measures) {
                return all;
            }
            all.forEach(launch -> launch.enqueue(stream));
            return NetworkLaunches.product(checked, shape.window, target, splitK, checks, false);
        };
    }

    private Function<Scheme, List<Launch>> groups(
            Precision precision, ImageWindow window, int groups, int images, int channels) {
        long input = values(precision, window.values(images)).address();
        long filter = (long) window.taps() * (window.channels() / groups) * channels;
        GroupWeights weights = new GroupWeights(
                precision, values(precision, filter).address(), zeros((long) channels * Float.BYTES), groups, channels);
        int rows = Math.multiplyExact(images, window.positions());
        long bytes = (long) rows * channels * precision.bytes();
        long first = zeros(bytes);
        long second = zeros(bytes);
        Launch once = groups(weights, window, input, rows, first);
        Launch again = groups(weights, window, input, rows, second);
        Launch compare = NetworkLaunches.compare(first, second, bytes, verdict.address(0));
        return scheme -> scheme == Scheme.NONE ? List.of(once) : List.of(once, again, compare);
    }

    private static Launch groups(GroupWeights weights, ImageWindow window, long input, int rows, long output) {
        return NetworkLaunches.groupedConvolution(
                weights, window, new Target(input, rows, output, weights.precision(), 0, Activation.RELU));
    }

    private static float[] normal() {
        Random random = new Random(SEED);
        float[] values = new float[VALUES];
        for (int i = 0; i < VALUES; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    /** Repetitions of the values. */
    private DeviceMemory values(Precision precision, long count) {
        DeviceMemory memory = closings.add(DeviceMemory.allocate(count * precision.bytes()));
        try (DeviceMemory values = DeviceValues.upload(precision, normal())) {
            for (long at = 0; at < memory.size(); at += values.size()) {
                stream.copyOnDevice(
                        memory.address() + at, values.address(), Math.min(values.size(), memory.size() - at));
            }
            stream.synchronise();
        }
        return memory;
    }

    private long zeros(long bytes) {
        DeviceMemory memory = closings.add(DeviceMemory.allocate(bytes));
        stream.fill(memory.address(), (byte) 0, bytes);
        return memory.address();
    }

    private CudaGraph record(Repeated repeated) {
        List<Launch> once = launches.apply(repeated.scheme);
        once.forEach(launch -> launch.enqueue(stream)); // loads the kernels
        List<Launch> all = Collections.nCopies(repeated.runs, once).stream()
                .flatMap(List::stream)
                .toList();
        return closings.add(CudaGraph.record(all, stream), CudaGraph::close);
    }

    /**
     * Measures consecutive runs by the GPU's clock. A scheme's first runs also load its kernels, so take the least of several
     * measurements.
     *
     * @param runs at least 1
     * @return seconds of all runs; empty if the checks found wrong values, which the next measurement may be without
     * @throws IllegalArgumentException if the scheme does not support the precision
     */
    public OptionalDouble seconds(Scheme scheme, int runs) {
        /* A graph is made for powers of two only. */
        int recorded = Integer.highestOneBit(runs);
        CudaGraph graph = graphs.computeIfAbsent(new Repeated(scheme, recorded), this::record);
        double milliseconds;
        try (CudaEvent start = new CudaEvent();
                CudaEvent end = new CudaEvent()) {
            start.record(stream);
            graph.replay(stream);
            end.record(stream);
            verdict.fetch(stream);
            stream.synchronise();
            milliseconds = end.millisecondsSince(start);
        }
        if (!verdict.fetched().get(0).isClean()) {
            verdict.clear(stream);
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(milliseconds / 1000 * runs / recorded);
    }

    /** Frees the memory. */
    @Override
    public void close() {
        stream.synchronise();
        closings.close();
    }
}
