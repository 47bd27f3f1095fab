/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many bytes of one unit a checksum covers, and how many of each unit are coded at a time.
 *
 * @param bytes between 1 and {@value #MAX}
 */
public record ChunkSize(int bytes) {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int MAX = 16 * MIB;
    private static final Pattern SYNTAX = Pattern.compile("(?<count>[0-9]{1,8})(?<unit>[km]?)");

    /**
     * @throws IllegalArgumentException if the size is out of bounds
     */
    public ChunkSize {
        check(bytes, bytes);
    }

    /**
     * Parses a size such as {@code 4096}, {@code 256k} or {@code 1m}.
     *
     * @throws IllegalArgumentException if it is none, or out of bounds
     */
    public static ChunkSize parse(String text) {
        Matcher parts = SYNTAX.matcher(text.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            throw outOfBounds("'" + text + "'");
        }
        long bytes = Long.parseLong(parts.group("count")) * factor(parts.group("unit"));
        check(bytes, "'" + text + "'");
        return new ChunkSize((int) bytes);
    }

    private static int factor(String unit) {
        return switch (unit) {
            case "k" -> KIB;
            case "m" -> MIB;
            default -> 1;
        };
    }

    private static void check(long bytes, Object shown) {
        if (bytes < 1 || bytes > MAX) {
            throw outOfBounds(shown);
        }
    }

    private static IllegalArgumentException outOfBounds(Object got) {
        return new IllegalArgumentException(
                "A chunk has between 1 byte and " + MAX / MIB + "m, such as 4096, 256k or 1m; got " + got);
    }

    @Override
    public String toString() {
        return bytes + " bytes";
    }
}
