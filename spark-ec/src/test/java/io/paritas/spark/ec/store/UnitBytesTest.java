/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.Test;

class UnitBytesTest {
    /** Bytes in chunks that end at the given places. */
    private static UnitBytes chunked(byte[] bytes, int... ends) {
        ByteBuffer[] chunks = new ByteBuffer[ends.length];
        for (int chunk = 0; chunk < ends.length; chunk++) {
            int start = chunk == 0 ? 0 : ends[chunk - 1];
            chunks[chunk] = ByteBuffer.wrap(Arrays.copyOfRange(bytes, start, ends[chunk]));
        }
        return UnitBytes.of(new ChunkedByteBuffer(chunks));
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] window(UnitBytes unit, long from, int size) {
        ByteBuffer window = unit.window(from, size);
        assertThat(window.remaining()).isEqualTo(size);
        byte[] bytes = new byte[size];
        window.get(bytes);
        return bytes;
    }

    @Test
    void windowsAreTheBytesAndZerosBehind() {
        byte[] bytes = random(11);
        UnitBytes unit = chunked(bytes, 3, 4, 8, 11);
        for (int from = 0; from <= 15; from++) {
            for (int size = 1; size <= 15; size++) {
                assertThat(window(unit, from, size))
                        .as(from + ", " + size)
                        .isEqualTo(Arrays.copyOfRange(Arrays.copyOf(bytes, 30), from, from + size));
            }
        }
    }

    @Test
    void windowsAreTheBytesAtBordersOfLongChunks() {
        int window = UnitBytes.WINDOW;
        byte[] bytes = random(3 * window + 5);
        UnitBytes unit = chunked(bytes, window - 1, window + 2, 3 * window, bytes.length);
        byte[] padded = Arrays.copyOf(bytes, 5 * window);
        for (int border : new int[] {0, window, 2 * window, 3 * window}) {
            for (int from = Math.max(0, border - 3); from <= border + 6; from++) {
                assertThat(window(unit, from, window)).isEqualTo(Arrays.copyOfRange(padded, from, from + window));
            }
        }
    }

    @Test
    void windowsOfNothingAreZeros() {
        assertThat(window(UnitBytes.EMPTY, 0, 5)).containsOnly(0);
        assertThat(window(UnitBytes.EMPTY, 1L << 40, UnitBytes.WINDOW)).containsOnly(0);
    }

    @Test
    void streamsTheBytes() throws IOException {
        byte[] bytes = random(100);
        assertThat(chunked(bytes, 1, 50, 100).stream().readAllBytes()).isEqualTo(bytes);
    }

    @Test
    void isTheUnitThatWasStored() {
        byte[] bytes = random(9);
        StoredUnit stored = StoredUnit.of(List.of(ByteBuffer.wrap(bytes)));
        assertThat(chunked(bytes, 2, 9).is(stored)).isTrue();
        assertThat(UnitBytes.of(Arrays.copyOf(bytes, 8)).is(stored)).isFalse();
        bytes[4] ^= 1;
        assertThat(UnitBytes.of(bytes).is(stored)).isFalse();
    }

    @Test
    void borrowedBytesAreGivenBack() {
        AtomicInteger released = new AtomicInteger();
        UnitBytes.borrowed(new ChunkedByteBuffer(new ByteBuffer[0]), released::incrementAndGet)
                .close();
        assertThat(released).hasValue(1);
    }
}
