/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.LaunchShape;
import java.util.Arrays;

/** Launches the kernels of coding.cu. */
final class CodingKernels {
    /** As in coding.cu. */
    static final int MEMBERS = 16;

    private static final int THREADS = 128;

    private CodingKernels() {}

    /** Launches a kernel with one thread for each of count elements. */
    static void launch(String kernel, long count, CudaStream stream, Object... arguments) {
        launch(kernel, LaunchShape.forElements(count, THREADS), stream, arguments);
    }

    static void launch(String kernel, LaunchShape shape, CudaStream stream, Object... arguments) {
        Gpu.current().module("coding").function(kernel).launch(shape, stream, arguments);
    }

    static LaunchShape shape(long count, int blocksY) {
        return LaunchShape.forElements(count, THREADS).withBlocksY(blocksY);
    }

    /** Returns whether all addresses are aligned for accesses of 16 bytes. */
    static boolean areWide(long[] addresses, long other) {
        return Arrays.stream(addresses).allMatch(address -> address % 16 == 0) && other % 16 == 0;
    }

    static void checkMembers(int members, int weights) {
        if (members < 1 || members > MEMBERS || members != weights) {
            throw new IllegalArgumentException("a coding group must have 1 to " + MEMBERS
                    + " members and a weight for each, got " + members + " members and " + weights + " weights");
        }
    }

    static void checkCount(long count) {
        if (count < 1) {
            throw new IllegalArgumentException("the number of values must be at least 1, got " + count);
        }
    }
}
