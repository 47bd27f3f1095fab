/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Names for classes that only have numbers. */
final class ClassNames {
    private ClassNames() {}

    /** "0", "1", …, with leading zeros for more than ten classes, so that lexicographic order is numeric order. */
    static List<String> numbers(int count) {
        int digits = String.valueOf(count - 1).length();
        return IntStream.range(0, count)
                .mapToObj(i -> String.format(Locale.ROOT, "%0" + digits + "d", i))
                .toList();
    }
}
