/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Writes the bytes of a message, little-endian as processors are. Strings, arrays and lists begin with their length as
 * an int.
 */
final class WireWriter {
    static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    /** Room for the other fields; those of messages with many arrays have more. */
    private static final int SMALL = 256;

    private ByteBuffer bytes;

    /** @param expected about how many bytes its arrays take: with less, they are copied while it grows */
    WireWriter(long expected) {
        bytes = ByteBuffer.allocate((int) Math.min(Integer.MAX_VALUE - 8L, expected + expected / 64 + SMALL))
                .order(ORDER);
    }

    private ByteBuffer room(long more) {
        long needed = bytes.position() + more;
        if (needed > bytes.capacity()) {
            int size = (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(needed, 2L * bytes.capacity()));
            bytes = ByteBuffer.wrap(Arrays.copyOf(bytes.array(), size))
                    .position(bytes.position())
                    .order(ORDER);
        }
        return bytes;
    }

    void int1(int value) {
        room(1).put((byte) value);
    }

    void int4(int value) {
        room(Integer.BYTES).putInt(value);
    }

    void int8(long value) {
        room(Long.BYTES).putLong(value);
    }

    void string(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        int4(utf8.length);
        room(utf8.length).put(utf8);
    }

    void ints(int[] values) {
        int4(values.length);
        room((long) Integer.BYTES * values.length).asIntBuffer().put(values);
        skip(Integer.BYTES * values.length);
    }

    void floats(float[] values) {
        int4(values.length);
        room((long) Float.BYTES * values.length).asFloatBuffer().put(values);
        skip(Float.BYTES * values.length);
    }

    void longs(long[] values) {
        int4(values.length);
        room((long) Long.BYTES * values.length).asLongBuffer().put(values);
        skip(Long.BYTES * values.length);
    }

    <E> void list(List<E> values, BiConsumer<E, WireWriter> each) {
        int4(values.size());
        values.forEach(value -> each.accept(value, this));
    }

    private void skip(int written) {
        bytes.position(bytes.position() + written);
    }

    ByteBuffer written() {
        return bytes.flip();
    }
}
