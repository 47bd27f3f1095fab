/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * The format of a Dataset's rows: for each row its length (int, big-endian) and its {@code UnsafeRow}; all of it compressed.
 *
 * @param schema the columns
 * @param compression compression of all rows
 */
record RowFormat(StructType schema, Compression compression) implements Format<InternalRow> {
    private static final int COPY_BUFFER = 4096;

    @Override
    public long write(Iterator<InternalRow> rows, OutputStream output) throws IOException {
        UnsafeProjection projection = UnsafeProjection.create(schema);
        byte[] copyBuffer = new byte[COPY_BUFFER];
        long count = 0;
        try (DataOutputStream out = new DataOutputStream(compression.output(output))) {
            while (rows.hasNext()) {
                TaskContext.get().killTaskIfInterrupted();
                InternalRow next = rows.next();
                UnsafeRow row = next instanceof UnsafeRow unsafe ? unsafe : projection.apply(next);
                out.writeInt(row.getSizeInBytes());
                row.writeToStream(out, copyBuffer);
                count++;
            }
        }
        return count;
    }

    @Override
    public Source<InternalRow> read(InputStream input) {
        return new Rows(new DataInputStream(compression.input(input)), schema.length());
    }

    private static final class Rows implements Source<InternalRow> {
        /** As long as arrays may be in all JVMs. */
        private static final int MOST = Integer.MAX_VALUE - 8;

        private final DataInputStream in;
        private final UnsafeRow row;
        private byte[] bytes = new byte[COPY_BUFFER];

        Rows(DataInputStream in, int columns) {
            this.in = in;
            row = new UnsafeRow(columns);
        }

        @Override
        public InternalRow next() throws IOException {
            int length = in.readInt();
            if (length < 0 || length > MOST) {
                throw new EOFException("the length of a row must be 0 to " + MOST + ", got " + length);
            }
            int read = Math.min(length, bytes.length);
            in.readFully(bytes, 0, read);
            while (read < length) { // grows as bytes come: there may be fewer than that
                bytes = Arrays.copyOf(bytes, (int) Math.min(2L * bytes.length, MOST));
                int more = Math.min(length, bytes.length) - read;
                in.readFully(bytes, read, more);
                read += more;
            }
            row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, length);
            return row;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
