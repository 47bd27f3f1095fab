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

    private final byte[] bytes;
    private final ByteBuffer numbers;
    private final int fields;

    /** A row that is not an input of the model. */
    record Rejected(byte[] row, String reason) {}

    /**
     * One of the rows.
     *
     * @param index its place among the accepted rows; -1 if it was rejected
     * @param columns its columns, valid until the next row is taken
     * @param reason why it was rejected; null if it was not
     */
    record Row(int index, UnsafeRow columns, String reason) {}

    /** Reads packed rows with {@code fields} columns. */
    PackedRows(byte[] bytes, int fields) {
        this.bytes = bytes;
        this.numbers = numbers(bytes);
        this.fields = fields;
    }

    private static ByteBuffer numbers(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static byte[] pack(List<byte[]> accepted, List<Rejected> rejected) {
        long size = HEADER;
        for (byte[] row : accepted) {
            size += Long.BYTES + row.length;
        }
        for (Rejected each : rejected) {
            size += 2 * Long.BYTES + each.row.length + padded(utf8(each.reason).length);
        }
        byte[] bytes = new byte[Math.toIntExact(size)];
        ByteBuffer out = numbers(bytes).putInt(accepted.size()).putInt(rejected.size());
        for (byte[] row : accepted) {
            out.putLong(row.length).put(row);
        }
        for (Rejected each : rejected) {
            byte[] reason = utf8(each.reason);
            out.putLong(each.row.length).put(each.row).putLong(reason.length).put(reason);
            out.position(padded(out.position()));
        }
        return bytes;
    }

    private static byte[] utf8(String reason) {
        return Texts.limited(reason).getBytes(StandardCharsets.UTF_8);
    }

    private static int padded(int length) {
        return (length + 7) & ~7;
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
        return new Iterator<>() {
            private final UnsafeRow row = new UnsafeRow(fields);
            private int taken;
            private int at = HEADER;

            @Override
            public boolean hasNext() {
                return taken < accepted() + rejected();
            }

            @Override
            public Row next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                int length = (int) numbers.getLong(at);
                row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + at + Long.BYTES, length);
                at += Long.BYTES + length;
                return taken++ < accepted() ? new Row(taken - 1, row, null) : new Row(-1, row, reason());
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
