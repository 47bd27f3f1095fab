/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads the bytes of a {@link WireWriter}. Never allocates more memory than there are bytes. */
final class WireReader {
    /** Most elements of a list that memory is taken for before they are read. */
    private static final int MOST_PLANNED = 1 << 12;

    private final ByteBuffer bytes;

    WireReader(ByteBuffer bytes) {
        this.bytes = bytes.slice().order(WireWriter.ORDER);
    }

    private ByteBuffer need(long length) {
        if (length < 0 || length > bytes.remaining()) {
            throw new WireException("message is cut short or damaged: it announces " + length + " more bytes, got "
                    + bytes.remaining());
        }
        return bytes;
    }

    int int1() {
        return need(1).get() & 0xff;
    }

    int int4() {
        return need(Integer.BYTES).getInt();
    }

    long int8() {
        return need(Long.BYTES).getLong();
    }

    private int length(int size) {
        int count = int4();
        need((long) size * count);
        return count;
    }

    String string() {
        byte[] utf8 = new byte[length(1)];
        bytes.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    int[] ints() {
        int[] values = new int[length(Integer.BYTES)];
        bytes.asIntBuffer().get(values);
        bytes.position(bytes.position() + Integer.BYTES * values.length);
        return values;
    }

    float[] floats() {
        float[] values = new float[length(Float.BYTES)];
        bytes.asFloatBuffer().get(values);
        bytes.position(bytes.position() + Float.BYTES * values.length);
        return values;
    }

    long[] longs() {
        long[] values = new long[length(Long.BYTES)];
        bytes.asLongBuffer().get(values);
        bytes.position(bytes.position() + Long.BYTES * values.length);
        return values;
    }

    /** Reads a list whose elements take at least one byte each. */
    <E> List<E> list(Function<WireReader, E> each) {
        int count = length(1);
        List<E> values = new ArrayList<>(Math.min(count, MOST_PLANNED));
        for (int i = 0; i < count; i++) {
            values.add(each.apply(this));
        }
        return List.copyOf(values);
    }

    <E extends Enum<E>> E constant(E[] all) {
        int ordinal = int1();
        if (ordinal >= all.length) {
            throw new WireException("message constant must be below " + all.length + ", got " + ordinal);
        }
        return all[ordinal];
    }

    void end() {
        if (bytes.hasRemaining()) {
            throw new WireException("message must end with its last field, got " + bytes.remaining() + " more bytes");
        }
    }
}
