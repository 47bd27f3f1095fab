/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/** Random units, and generators without zeros. */
final class RandomCodes {
    private RandomCodes() {}

    static byte[][] units(int count, int length, Random random) {
        byte[][] units = new byte[count][length];
        Arrays.stream(units).forEach(random::nextBytes);
        return units;
    }

    static int[][] rows(int outputs, int inputs, Random random) {
        return IntStream.range(0, outputs)
                .mapToObj(i -> random.ints(inputs, 1, 256).toArray())
                .toArray(int[][]::new);
    }
}
