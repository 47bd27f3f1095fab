/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * A partition's rows as bytes: for each row its length (int, big-endian) and its {@code UnsafeRow}; all of it compressed.
 *
 * @param schema the columns
 * @param compression the codec, by Spark's short name
 */
record RowFormat(StructType schema, String compression) implements Serializable {
    private static final int COPY_BUFFER = 4096;

    private CompressionCodec codec() {
        return CompressionCodec.createCodec(SparkEnv.get().conf(), compression);
    }

    /**
     * Writes rows, and closes the output.
     *
     * @return how many
     */
    long write(Iterator<InternalRow> rows, OutputStream output) throws IOException {
        UnsafeProjection projection = UnsafeProjection.create(schema);
        byte[] copyBuffer = new byte[COPY_BUFFER];
        long count = 0;
        try (DataOutputStream out = new DataOutputStream(codec().compressedOutputStream(output))) {
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

    /** Reads what {@link #write} wrote. */
    Rows read(InputStream input) {
        return new Rows(new DataInputStream(codec().compressedInputStream(input)), schema.length());
    }

    /** Rows that are read as they are asked for. */
    static final class Rows {
        private final DataInputStream in;
        private final UnsafeRow row;
        private byte[] bytes = new byte[COPY_BUFFER];

        private Rows(DataInputStream in, int columns) {
            this.in = in;
            row = new UnsafeRow(columns);
        }

        /** The next row, valid until the one after it is asked for. */
        InternalRow next() throws IOException {
            int length = in.readInt();
            if (length < 0) {
                throw new EOFException("a row cannot have " + length + " bytes");
            }
            if (bytes.length < length) {
                bytes = new byte[(int) Math.max(length, Math.min(2L * bytes.length, Integer.MAX_VALUE - 8))];
            }
            in.readFully(bytes, 0, length);
            row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, length);
            return row;
        }
    }
}
