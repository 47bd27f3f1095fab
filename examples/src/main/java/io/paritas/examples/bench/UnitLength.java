/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the length of a unit from the command line, such as {@code 4096}, {@code 128k} or {@code 1m}; and shows it so. */
final class UnitLength implements ITypeConverter<Integer> {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int MAX = 64 * MIB;
    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,8})([km]?)");

    @Override
    public Integer convert(String value) {
        Matcher parts = SYNTAX.matcher(value.toLowerCase(Locale.ROOT));
        long bytes = parts.matches() ? Long.parseLong(parts.group(1)) * factor(parts.group(2)) : 0;
        if (bytes < 1 || bytes > MAX) {
            throw new TypeConversionException(
                    "a unit has between 1 byte and " + MAX / MIB + "m, such as 4096, 128k or 1m; got '" + value + "'");
        }
        return (int) bytes;
    }

    private static int factor(String unit) {
        return switch (unit) {
            case "k" -> KIB;
            case "m" -> MIB;
            default -> 1;
        };
    }

    /** For example {@code 4k}, {@code 1m} or {@code 1000}. */
    static String shown(int bytes) {
        if (bytes % MIB == 0) {
            return bytes / MIB + "m";
        }
        return bytes % KIB == 0 ? bytes / KIB + "k" : Integer.toString(bytes);
    }
}
