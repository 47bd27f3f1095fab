/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Which bits differ how often, for people. */
final class WrongBits {
    private WrongBits() {}

    /** The bits that differ, the highest first: {@code 31 (1 x), 3 (2 x)}. */
    static String text(int... counts) {
        return IntStream.iterate(counts.length - 1, bit -> bit >= 0, bit -> bit - 1)
                .filter(bit -> counts[bit] > 0)
                .mapToObj(bit -> bit + " (" + counts[bit] + " x)")
                .collect(Collectors.joining(", "));
    }
}
