/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Inputs of exercises: random ones, and ones that switch many bits at a time. */
final class Patterns {
    private static final long SEED = 0x70617269746173L;

    private Patterns() {}

    /** Bytes: random, all ones, alternating bits, one bit that walks; the same in every JVM. */
    static byte[] bytes(int pattern, int unit, int length) {
        byte[] bytes = new byte[length];
        switch (pattern) {
            case 0 -> Arrays.fill(bytes, (byte) 0xff);
            case 1 -> fill(bytes, i -> (i + unit) % 2 == 0 ? 0x55 : 0xaa);
            case 2 -> fill(bytes, i -> 1 << (i + unit) % 8);
            case 3 -> fill(bytes, i -> i / 64 % 2 == 0 ? 0 : 0xff);
            default -> random(pattern, unit).nextBytes(bytes);
        }
        return bytes;
    }

    /** The generator for an input. */
    static SplittableRandom random(int pattern, int part) {
        return new SplittableRandom(SEED + 1_000L * pattern + part);
    }

    private static void fill(byte[] bytes, java.util.function.IntUnaryOperator value) {
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) value.applyAsInt(i);
        }
    }

    /** Reports the bytes that differ. */
    static void compare(String exercise, int pattern, byte[] right, byte[] result, Consumer<WrongResult> wrong) {
        for (int i = Arrays.mismatch(right, result); i >= 0 && i < right.length; i++) {
            if (right[i] != result[i]) {
                wrong.accept(new WrongResult(exercise, pattern, i, Byte.SIZE, right[i] & 0xff, result[i] & 0xff));
            }
        }
    }
}
