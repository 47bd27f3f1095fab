/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
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

    /** Receives an accepted row, which is valid until the call returns. */
    @FunctionalInterface
    interface Accepted {
        void accept(int index, UnsafeRow row);
    }

    /** Receives a rejected row, which is valid until the call returns. */
    @FunctionalInterface
    interface Refused {
        void accept(UnsafeRow row, String reason);
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

    /** Passes all rows on, in order. */
    void forEach(Accepted accept, Refused refuse) {
        UnsafeRow row = new UnsafeRow(fields);
        int at = HEADER;
        for (int i = 0; i < accepted(); i++) {
            at = point(row, at);
            accept.accept(i, row);
        }
        for (int i = 0; i < rejected(); i++) {
            at = point(row, at);
            int length = (int) numbers.getLong(at);
            refuse.accept(row, new String(bytes, at + Long.BYTES, length, StandardCharsets.UTF_8));
            at += Long.BYTES + padded(length);
        }
    }

    private int point(UnsafeRow row, int at) {
        int length = (int) numbers.getLong(at);
        int start = at + Long.BYTES;
        row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + start, length);
        return start + length;
    }
}
