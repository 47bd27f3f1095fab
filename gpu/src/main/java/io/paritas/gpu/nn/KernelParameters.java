/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import java.util.Optional;

/**
 * The parameters of a kernel that computes C: two structs of protected.cuh.
 *
 * @param at the struct {@code Addresses}
 * @param sizes the struct {@code Sizes}
 * @param rowBlocks how many blocks of rows C has
 */
record KernelParameters(long[] at, int[] sizes, int rowBlocks) {
    /** In {@code Sizes}: of the product, of the window, and of the activation. */
    private static final int PRODUCT = 7;

    private static final int WINDOW = 13;

    /**
     * The struct {@code Sizes}.
     *
     * @param product its fields before height
     * @param window empty if A is a matrix
     */
    static int[] sizes(int[] product, Optional<ImageWindow> window, Activation activation) {
        int[] sizes = new int[PRODUCT + WINDOW + 3];
        System.arraycopy(product, 0, sizes, 0, PRODUCT);
        window.ifPresent(images -> System.arraycopy(images.sizes(), 0, sizes, PRODUCT, WINDOW));
        sizes[PRODUCT + WINDOW] = activation.function().ordinal();
        sizes[PRODUCT + WINDOW + 1] = Float.floatToRawIntBits(activation.low());
        sizes[PRODUCT + WINDOW + 2] = Float.floatToRawIntBits(activation.high());
        return sizes;
    }
}
