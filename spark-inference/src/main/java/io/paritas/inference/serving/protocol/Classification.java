/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The classification extension, as Triton has it: an output as the largest values of each row, with their places. */
public final class Classification {
    /** The most bytes of a class: the longest float without an exponent, a colon, a place, and a length or quotes. */
    public static final int CLASS_BYTES = 64;

    private Classification() {}

    /**
     * Checks the number of classes that a request wants.
     *
     * @param count anything but a whole number as 0
     * @param given for the message
     * @param values of a row
     * @return the number, or that of all values if there are fewer
     * @throws IllegalArgumentException if it is not positive
     */
    public static int count(long count, Object given, int values) {
        if (count < 1) {
            throw new IllegalArgumentException("the parameter " + InputTensor.CLASSIFICATION
                    + " must be a number of classes of at least 1, got " + given);
        }
        return (int) Math.min(count, values);
    }

    /** The largest values of a row with their places, the largest first, such as {@code 0.981000:7}. */
    public static List<String> largest(float[] row, int count) {
        return IntStream.range(0, row.length)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer place) -> -row[place]))
                .limit(count)
                .map(place -> String.format(Locale.ROOT, "%f:%d", row[place], place))
                .toList();
    }
}
