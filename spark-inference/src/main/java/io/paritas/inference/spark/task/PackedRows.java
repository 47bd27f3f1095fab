/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * The columns of a batch's rows as they cross the exchange: first the accepted rows, then the rejected ones with their
 * reasons.
 *
 * <p>The bytes: the number of accepted and that of rejected rows (int each); for each row its length (long) and its
 * bytes; for a rejected row also the length of its reason (long) and the reason, padded to a multiple of 8.
 */
final class PackedRows {
    private static final int HEADER = 8;

    /** Without rows. */
    static final PackedRows NONE = new PackedRows(new byte[HEADER], 0);

    private final byte[] bytes;
    private final ByteBuffer numbers;
    private final int fields;

    /** One of the rows, until the next one is taken. */
    static final class Row {
        private final UnsafeRow columns;
        private int index;
        private String reason;

        private Row(int fields) {
            columns = new UnsafeRow(fields);
        }

        /** Its place among the accepted rows; -1 if it was rejected. */
        int index() {
            return index;
        }

        UnsafeRow columns() {
            return columns;
        }

        /** Why it was rejected; null if it was not. */
        String reason() {
            return reason;
        }
    }

    /** Reads packed rows with {@code fields} columns. */
    PackedRows(byte[] bytes, int fields) {
        this.bytes = bytes;
        this.numbers = numbers(bytes);
        this.fields = fields;
    }

    private static ByteBuffer numbers(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Packs waiting rows, none of which was rejected. They no longer wait then. */
    static byte[] pack(WaitingRows accepted, int count) {
        return pack(accepted, count, accepted, List.of());
    }

    /**
     * Packs waiting rows, which no longer wait then.
     *
     * @param count how many of the accepted rows; of the rejected ones, as many as there are reasons
     */
    static byte[] pack(WaitingRows accepted, int count, WaitingRows rejected, List<String> reasons) {
        List<byte[]> texts = reasons.stream()
                .map(reason -> Texts.limited(reason).getBytes(StandardCharsets.UTF_8))
                .toList();
        long size = HEADER + accepted.size(count) + rejected.size(texts.size());
        for (byte[] text : texts) {
            size += Long.BYTES + padded(text.length);
        }
        byte[] bytes = new byte[Math.toIntExact(size)];
        ByteBuffer out = numbers(bytes).putInt(count).putInt(texts.size());
        out.position(accepted.take(count, bytes, out.position()));
        for (byte[] text : texts) {
            out.position(rejected.take(1, bytes, out.position()));
            out.putLong(text.length).put(text);
            out.position(padded(out.position()));
        }
        return bytes;
    }

    private static int padded(int length) {
        return (length + 7) & ~7;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Number of accepted rows. */
    int accepted() {
        return numbers.getInt(0);
    }

    int rejected() {
        return numbers.getInt(4);
    }

    /** All rows, in order. */
    Iterator<Row> rows() {
        int all = accepted() + rejected();
        int withoutReason = accepted();
        return new Iterator<>() {
            private final Row row = new Row(fields);
            private int taken;
            private int at = HEADER;

            @Override
            public boolean hasNext() {
                return taken < all;
            }

            @Override
            public Row next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                int length = (int) numbers.getLong(at);
                row.columns.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + at + Long.BYTES, length);
                at += Long.BYTES + length;
                row.index = taken < withoutReason ? taken : -1;
                row.reason = taken < withoutReason ? null : reason();
                taken++;
                return row;
            }

            private String reason() {
                int length = (int) numbers.getLong(at);
                String reason = new String(bytes, at + Long.BYTES, length, StandardCharsets.UTF_8);
                at += Long.BYTES + padded(length);
                return reason;
            }
        };
    }
}
