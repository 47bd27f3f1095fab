/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bytes of one unit that a checksum covers and that are coded at a time.
 *
 * @param bytes from 1 to {@value #MAX}
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
     * @throws IllegalArgumentException if the text is no size, or out of bounds
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
                "a chunk must have 1 byte to " + MAX / MIB + "m, such as 4096, 256k or 1m, got " + got);
    }

    @Override
    public String toString() {
        return bytes + " bytes";
    }
}
