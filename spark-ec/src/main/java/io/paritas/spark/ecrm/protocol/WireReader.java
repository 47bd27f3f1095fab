/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads what {@link WireWriter} wrote, and never takes more memory than bytes came. */
final class WireReader {
    private final ByteBuffer bytes;

    WireReader(ByteBuffer bytes) {
        this.bytes = bytes.slice();
    }

    private ByteBuffer need(long length) {
        if (length < 0 || length > bytes.remaining()) {
            throw new WireException("A message is cut short or damaged: it announces " + length
                    + " bytes more, but has " + bytes.remaining());
        }
        return bytes;
    }

    int one() {
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

    /** Each element takes a byte at least. */
    <E> List<E> list(Function<WireReader, E> each) {
        int count = length(1);
        List<E> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(each.apply(this));
        }
        return List.copyOf(values);
    }

    <E extends Enum<E>> E constant(E[] all) {
        int ordinal = one();
        if (ordinal >= all.length) {
            throw new WireException(
                    "A message has the constant " + ordinal + " where only " + all.length + " are known");
        }
        return all[ordinal];
    }

    void end() {
        if (bytes.hasRemaining()) {
            throw new WireException("A message has " + bytes.remaining() + " bytes too many");
        }
    }
}
