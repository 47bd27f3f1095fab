/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.Launch;
import io.paritas.gpu.LaunchShape;
import io.paritas.gpu.nn.CheckedWeights.Checks;
import java.util.List;
import java.util.Optional;

/**
 * Launches of the operators of networks, for callers that manage memory themselves: products, and the kernels of
 * network.cu. Values are of one precision; images have their channels innermost. Methods bind the thread to the GPU, and launch
 * nothing.
 */
public final class NetworkLaunches {
    private static final int THREADS = 128;
    private static final int WARP = 32;

    private NetworkLaunches() {}

    /**
     * Where a launch reads and writes.
     *
     * @param input address of the first value
     * @param rows of the output: places of images, or lines
     * @param output address of the first value
     * @param outputPrecision float32, or as the input's
     * @param addend address of values that are added before the activation, of the input's precision; 0 for none
     */
    public record Target(
            long input, int rows, long output, Precision outputPrecision, long addend, Activation activation) {}

    /**
     * A product with weights, and its checks.
     *
     * @param window what the filter of a convolution sees; empty for a matrix without gaps between rows
     * @param splitK address of the memory of {@link SplitK}
     * @param checks what the weights' scheme needs
     * @param measures whether the input is to be measured first: into its measures, in one part
     */
    public static List<Launch> product(
            CheckedWeights weights,
            Optional<ImageWindow> window,
            Target target,
            long splitK,
            Checks checks,
            boolean measures) {
        Weights matrix = weights.weights();
        CheckedWeights.Place place = new CheckedWeights.Place(
                target.input(),
                window.isPresent() ? 0 : matrix.depth(),
                window,
                target.rows(),
                target.output(),
                matrix.columns(),
                target.outputPrecision(),
                target.addend(),
                splitK,
                target.activation());
        return weights.launches(place, checks, measures);
    }

    /**
     * Compares two runs of one launch, bit by bit.
     *
     * @param first address of the values
     * @param second address of the values of the other run
     * @param bytes of each, a multiple of 2
     * @param verdict receives what is found
     */
    public static Launch compare(long first, long second, long bytes, long verdict) {
        long count = bytes / Short.BYTES;
        return elements("compare_runs", count, new long[] {first, second, count, verdict});
    }

    /**
     * The weights of a convolution in groups of channels.
     *
     * @param precision of the values
     * @param values address of (taps of the filter, channels of a group, output channels)
     * @param bias address of a float32 for each output channel
     * @param outputs channels of the output
     */
    public record GroupWeights(Precision precision, long values, long bias, int groups, int outputs) {}

    /** A convolution in groups of channels. */
    public static Launch groupedConvolution(GroupWeights weights, ImageWindow window, Target target) {
        int[] sizes = sizes(weights.precision(), weights.outputs(), window, target);
        long[] at = addresses(target, weights.values(), weights.bias());
        return elements(
                "convolve_groups_" + weights.precision(),
                neighbours(target.rows(), weights.outputs()),
                at,
                sizes,
                weights.groups());
    }

    /** The largest value under a window. */
    public static Launch maxPool(Precision precision, ImageWindow window, Target target) {
        int[] sizes = sizes(precision, window.channels(), window, target);
        return elements(
                "pool_max_" + precision, neighbours(target.rows(), window.channels()), addresses(target, 0, 0), sizes);
    }

    /** What the mean of a window counts. */
    public enum Counted {
        /** Values of the image. */
        IMAGE,
        /** Zeros around the image, too. */
        PADDING
    }

    /** The mean of the values under a window. */
    public static Launch meanPool(Precision precision, ImageWindow window, Counted counted, Target target) {
        int[] sizes = sizes(precision, window.channels(), window, target);
        return elements(
                "pool_mean_" + precision,
                neighbours(target.rows(), window.channels()),
                addresses(target, 0, 0),
                sizes,
                counted.ordinal());
    }

    /**
     * Softmax of lines; the target has no addend and no activation.
     *
     * @param size values of a line
     * @param inner distance of a line's values, and the number of lines that alternate
     */
    public static Launch softmax(Precision precision, int size, int inner, Target target) {
        return elements(
                "softmax_" + precision,
                (long) target.rows() * WARP,
                new long[] {target.input(), target.output(), target.rows()},
                size,
                inner,
                KernelParameters.floatOutput(target.outputPrecision()));
    }

    /** What is done with two operands, in the order of network.cu. */
    public enum Operation {
        /** Takes the left one. */
        KEEP,
        /** Adds them. */
        ADD,
        /** Multiplies them. */
        MULTIPLY
    }

    /**
     * Operands of rows of up to three dimensions.
     *
     * @param right address of the right operand; the left one is the target's input
     * @param sizes of the three dimensions of the output, outermost first
     * @param leftStrides between rows, then in each dimension; 0 repeats a value
     * @param rightStrides the same for the right operand
     */
    public record Operands(Operation operation, long right, int[] sizes, int[] leftStrides, int[] rightStrides) {
        long values() {
            return (long) sizes[0] * sizes[1] * sizes[2];
        }
    }

    /** Two operands, element by element; the target has no addend. */
    public static Launch combine(Precision precision, Operands operands, Target target) {
        long count = target.rows() * operands.values();
        int[] strides = new int[16];
        System.arraycopy(operands.sizes(), 0, strides, 0, 3);
        System.arraycopy(operands.leftStrides(), 0, strides, 3, 4);
        System.arraycopy(operands.rightStrides(), 0, strides, 7, 4);
        strides[11] = operands.operation().ordinal();
        strides[12] = KernelParameters.floatOutput(target.outputPrecision());
        strides[13] = target.activation().function().ordinal();
        strides[14] = Float.floatToRawIntBits(target.activation().low());
        strides[15] = Float.floatToRawIntBits(target.activation().high());
        return elements(
                "combine_" + precision,
                count,
                new long[] {target.input(), operands.right(), target.output(), count},
                strides);
    }

    /**
     * Copies rows into another order and precision; the target has no addend and no activation.
     *
     * @param inputPrecision may differ from that of the network
     * @param size values of a row
     * @param fromChannels channels that are innermost in the input; 1 if channels are outermost
     * @param toChannels the same for the output
     */
    public static Launch arrange(Precision inputPrecision, int size, int fromChannels, int toChannels, Target target) {
        long count = (long) target.rows() * size;
        return elements(
                "arrange_" + inputPrecision,
                count,
                new long[] {target.input(), target.output(), count},
                size,
                fromChannels,
                toChannels,
                KernelParameters.floatOutput(target.outputPrecision()));
    }

    /**
     * Copies images into the order with the channels innermost, with zeros for more channels; the target has no addend and no activation.
     *
     * @param inputPrecision may differ from that of the network
     * @param channels of the input
     * @param fromChannels channels that are innermost in the input; 1 if channels are outermost
     * @param toChannels channels of the output, which fill whole sixteen bytes
     * @param pixels of an image; the target has as many rows as there are images
     */
    public static Launch widen(
            Precision inputPrecision, int channels, int fromChannels, int toChannels, int pixels, Target target) {
        int chunks = toChannels / target.outputPrecision().ofAChunk();
        long count = (long) target.rows() * pixels * chunks;
        return elements(
                "widen_" + inputPrecision + "_" + target.outputPrecision(),
                count,
                new long[] {target.input(), target.output(), count},
                pixels,
                channels,
                fromChannels,
                chunks);
    }

    /**
     * Copies runs of values to places that are further apart; the target has no addend and no activation.
     *
     * @param run values of a run; the target has as many rows as there are runs
     * @param stride distance of the runs in the output
     * @param offset of the first one
     */
    public static Launch spread(Precision precision, int run, int stride, int offset, Target target) {
        long count = (long) target.rows() * run;
        return elements(
                "spread_" + precision,
                count,
                new long[] {target.input(), target.output(), count},
                run,
                stride,
                offset,
                KernelParameters.floatOutput(target.outputPrecision()));
    }

    private static int[] sizes(Precision precision, int columns, ImageWindow window, Target target) {
        int[] product = {
            target.rows(), columns, 0, 0, columns, 0, KernelParameters.flags(precision, target.outputPrecision())
        };
        return KernelParameters.sizes(product, Optional.of(window), target.activation());
    }

    /** The threads that compute neighbours. */
    private static long neighbours(int rows, int columns) {
        return (long) rows * KernelParameters.threadsOfARow(columns);
    }

    /** The struct {@code Addresses}. */
    private static long[] addresses(Target target, long weights, long bias) {
        return new long[] {target.input(), weights, bias, target.output(), 0, 0, 0, 0, 0, 0, 0, target.addend(), 0, 0};
    }

    private static Launch elements(String kernel, long count, Object... arguments) {
        return new Launch(
                Gpu.current().module("network").function(kernel),
                LaunchShape.forElements(count, THREADS),
                List.of(arguments));
    }
}
