/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats values of settings as texts that parse to the same values. */
final class OptionText {
    private static final int NANOS_OF_A_MICROSECOND = 1_000;

    private OptionText() {}

    static String of(Object value) {
        if (value instanceof Duration duration) {
            return duration.toNanosPart() == 0
                    ? duration.toSeconds() + "s"
                    : duration.toNanos() / NANOS_OF_A_MICROSECOND + "us";
        }
        if (value instanceof Enum<?> word) {
            return word.name().toLowerCase(Locale.ROOT);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        return String.valueOf(value);
    }
}
