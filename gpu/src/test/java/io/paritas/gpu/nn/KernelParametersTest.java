/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KernelParametersTest {
    /** Of the divisors in {@code Sizes}. */
    private static final int FIRST = 20;

    /** Returns n / d as the kernels compute it. */
    private static int quotient(int n, int d) {
        ImageWindow.Axis one = new ImageWindow.Axis(1, 1, 1, 0, 1);
        ImageWindow window = new ImageWindow(1, 1, d, one, one);
        int[] sizes = KernelParameters.sizes(new int[] {1, 1, 1, 1, 1, 0, 0}, Optional.of(window), Activation.NONE);
        return (int) ((n * Integer.toUnsignedLong(sizes[FIRST])) >>> sizes[FIRST + 1]);
    }

    @Test
    void divisorsDivideExactly() {
        Random random = new Random(Operands.SEED);
        IntStream divisors = IntStream.concat(
                IntStream.of(1, 2, 3, 7, 8, 64, 641, 65_535, 65_536, 65_537, (1 << 30) + 1, Integer.MAX_VALUE),
                random.ints(2_000).map(bits -> (bits >>> 1 >>> (bits & 31)) + 1));
        divisors.filter(d -> d > 0).forEach(d -> {
            IntStream near = IntStream.of(d, d - 1, Integer.MAX_VALUE / d * d, Integer.MAX_VALUE / d * d - 1);
            IntStream.concat(near, IntStream.concat(IntStream.of(0, Integer.MAX_VALUE), random.ints(20, 0, 1 << 30)))
                    .forEach(n -> assertThat(quotient(n, d))
                            .as("%d / %d, seed %d", n, d, Operands.SEED)
                            .isEqualTo(n / d));
        });
    }
}
