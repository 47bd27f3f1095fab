/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import java.util.Arrays;
import java.util.Optional;

/** Makes structs of protected.cuh. */
final class KernelParameters {
    /** In {@code Sizes}: of the product, of the window, and of the activation. */
    private static final int PRODUCT = 7;

    private static final int WINDOW = 23;

    /** Values of a row of the output that a thread stores. */
    private static final int NEIGHBOURS = 8;

    private static final int FLOAT_OUTPUT = 2;
    private static final int HALF_ADDEND = 16;

    private KernelParameters() {}

    /** The flags of an output. */
    static int floatOutput(Precision output) {
        return output == Precision.SINGLE ? FLOAT_OUTPUT : 0;
    }

    /** The flags of an output, and of an addend of the precision of the values. */
    static int flags(Precision values, Precision output) {
        return floatOutput(output) | (values == Precision.HALF ? HALF_ADDEND : 0);
    }

    /**
     * The struct {@code Sizes}.
     *
     * @param product its fields before height
     * @param window empty if A is a matrix
     */
    static int[] sizes(int[] product, Optional<ImageWindow> window, Activation activation) {
        int[] sizes = new int[PRODUCT + WINDOW + 3];
        System.arraycopy(product, 0, sizes, 0, PRODUCT);
        window.ifPresent(images -> System.arraycopy(window(images, product[1]), 0, sizes, PRODUCT, WINDOW));
        sizes[PRODUCT + WINDOW] = activation.function().ordinal();
        sizes[PRODUCT + WINDOW + 1] = Float.floatToRawIntBits(activation.low());
        sizes[PRODUCT + WINDOW + 2] = Float.floatToRawIntBits(activation.high());
        return sizes;
    }

    /** How many threads store a row of so many columns. */
    static int threadsOfARow(int columns) {
        return (columns + NEIGHBOURS - 1) / NEIGHBOURS;
    }

    private static int[] window(ImageWindow images, int columns) {
        int[] fields = Arrays.copyOf(images.sizes(), WINDOW);
        int[] divisors = {
            images.channels(),
            images.down().outputs(),
            images.across().outputs(),
            images.across().taps(),
            threadsOfARow(columns)
        };
        int at = images.sizes().length;
        for (int divisor : divisors) {
            int shift = Integer.SIZE - Integer.numberOfLeadingZeros(divisor - 1) + Integer.SIZE - 1;
            fields[at++] = (int) (((1L << shift) + divisor - 1) / divisor);
            fields[at++] = shift;
        }
        return fields;
    }
}
