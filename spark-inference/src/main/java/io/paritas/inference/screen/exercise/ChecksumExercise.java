/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Copies bytes to odd places and computes the checksums of HDFS and of Spark's shuffles, which the JVM does with instructions for
 * carry-less products. The right ones are computed bit by bit.
 */
final class ChecksumExercise implements Exercise {
    static final String NAME = "checksums and copies";
    static final int LENGTH = 64 << 10;
    private static final int CRC32_POLYNOMIAL = 0xedb88320;
    private static final int CRC32C_POLYNOMIAL = 0x82f63b78;

    private final Supplier<Checksum> crc32;
    private final byte[][] bytes = new byte[PATTERNS][];
    private final int[] right = new int[PATTERNS];
    private final int[] rightC = new int[PATTERNS];

    ChecksumExercise() {
        this(CRC32::new);
    }

    /** An exercise with another implementation of CRC-32. */
    ChecksumExercise(Supplier<Checksum> crc32) {
        this.crc32 = crc32;
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            bytes[pattern] = Patterns.bytes(pattern, 0, LENGTH);
            right[pattern] = slowly(bytes[pattern], CRC32_POLYNOMIAL);
            rightC[pattern] = slowly(bytes[pattern], CRC32C_POLYNOMIAL);
        }
    }

    static int slowly(byte[] bytes, int polynomial) {
        int crc = -1;
        for (byte b : bytes) {
            crc ^= b & 0xff;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = (crc >>> 1) ^ (polynomial & -(crc & 1));
            }
        }
        return ~crc;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void run(int pattern, Consumer<WrongResult> wrong) {
        int shift = 2 * pattern + 1;
        byte[] copy = new byte[LENGTH + shift];
        System.arraycopy(bytes[pattern], 0, copy, shift, LENGTH);
        compare(pattern, 0, right[pattern], crc32.get(), copy, shift, wrong);
        compare(pattern, 1, rightC[pattern], new CRC32C(), copy, shift, wrong);
    }

    private static void compare(
            int pattern, int index, int right, Checksum checksum, byte[] copy, int shift, Consumer<WrongResult> wrong) {
        checksum.update(copy, shift, LENGTH);
        int actual = (int) checksum.getValue();
        if (actual != right) {
            wrong.accept(new WrongResult(NAME, pattern, index, Integer.SIZE, right, actual));
        }
    }
}
