/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses and formats the length of a unit, such as {@code 4096}, {@code 128k} or {@code 1m}. */
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
                    "a unit must have 1 byte to " + MAX / MIB + "m, such as 4096, 128k or 1m, got '" + value + "'");
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

    /** Formats as for example {@code 4k}, {@code 1m} or {@code 1000}. */
    static String shown(int bytes) {
        if (bytes % MIB == 0) {
            return bytes / MIB + "m";
        }
        return bytes % KIB == 0 ? bytes / KIB + "k" : Integer.toString(bytes);
    }
}
