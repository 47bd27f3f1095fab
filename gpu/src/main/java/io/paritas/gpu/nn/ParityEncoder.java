/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import java.util.Arrays;

/**
 * Encodes groups of queries on the GPU, or batches of them, into parity queries: weighted sums (thesis, 8.2.1). The arithmetic, and
 * so the bits, are the CPU's. Methods enqueue work on a stream, and return at once; the thread is bound.
 */
public final class ParityEncoder {
    private static final int WIDE_FLOATS = 4;
    private static final int WIDE_BYTES = 16;
    private static final int LARGEST_BYTE = 255;
    private static final int LARGEST_SUM = 65_535;

    private ParityEncoder() {}

    /**
     * Adds weight times query in float32, in the order of the members.
     *
     * @param weights of the members
     * @param queries addresses of their values, in float32
     * @param parity address of the sums; must not overlap a query
     * @param values in each query
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
     * Adds weight times query of unsigned bytes, in unsigned 16-bit numbers; otherwise as {@link #add}.
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
            throw new IllegalArgumentException("weights of bytes must not be negative, and add up to at most 257, got"
                    + " " + Arrays.toString(weights) + ": add float32 instead");
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
