/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import java.util.Arrays;

/**
 * Makes the parity queries of groups, or batches of them, that are on the GPU: weighted sums (thesis, 8.2.1). With the same
 * arithmetic as on the CPU, so with the same bits. Methods put work into a stream, and return at once; the thread is bound.
 */
public final class ParityEncoder {
    private static final int WIDE_FLOATS = 4;
    private static final int WIDE_BYTES = 16;
    private static final int LARGEST_BYTE = 255;
    private static final int LARGEST_SUM = 65_535;

    private ParityEncoder() {}

    /**
     * The sum of weight times query, in float32, in the order of the members.
     *
     * @param weights of the members
     * @param queries where their values are: addresses of float32
     * @param parity where the sums go; must not overlap a query
     * @param values of each query
     */
    public static void add(float[] weights, long[] queries, long parity, long values, CudaStream stream) {
        CodingKernels.checkMembers(queries.length, weights.length);
        CodingKernels.checkCount(values);
        boolean wide = values % WIDE_FLOATS == 0 && CodingKernels.areWide(queries, parity);
        long count = wide ? values / WIDE_FLOATS : values;
        CodingKernels.launch(
                wide ? "parity_floats_wide" : "parity_floats_narrow",
                count,
                stream,
                group(queries, parity, count),
                Arrays.copyOf(weights, CodingKernels.MEMBERS),
                queries.length);
    }

    /**
     * The same of unsigned bytes, in unsigned 16-bit numbers.
     *
     * @throws IllegalArgumentException if the largest sum has more than 16 bits
     */
    public static void addBytes(int[] weights, long[] queries, long parity, long values, CudaStream stream) {
        CodingKernels.checkMembers(queries.length, weights.length);
        CodingKernels.checkCount(values);
        long total = 0;
        for (int weight : weights) {
            total += weight < 0 ? LARGEST_SUM : weight;
        }
        if (LARGEST_BYTE * total > LARGEST_SUM) {
            throw new IllegalArgumentException(
                    "Sums of bytes fit into 16 bits if the weights are not negative and add up"
                            + " to at most 257; got " + Arrays.toString(weights) + ". Add float32 instead");
        }
        boolean wide = values % WIDE_BYTES == 0 && CodingKernels.areWide(queries, parity);
        long count = wide ? values / WIDE_BYTES : values;
        CodingKernels.launch(
                wide ? "parity_bytes_wide" : "parity_bytes_narrow",
                count,
                stream,
                group(queries, parity, count),
                Arrays.copyOf(weights, CodingKernels.MEMBERS),
                queries.length);
    }

    /** The struct {@code Addition} of coding.cu. */
    private static long[] group(long[] queries, long parity, long count) {
        long[] group = Arrays.copyOf(queries, CodingKernels.MEMBERS + 2);
        group[CodingKernels.MEMBERS] = parity;
        group[CodingKernels.MEMBERS + 1] = count;
        return group;
    }
}
