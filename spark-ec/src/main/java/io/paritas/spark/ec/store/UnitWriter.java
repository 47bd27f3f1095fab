/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.IOException;
import java.io.NotSerializableException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.storage.BlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.apache.spark.util.io.ChunkedByteBufferOutputStream;
import scala.collection.Iterator;
import scala.reflect.ClassTag;

/** Serialises a partition as Spark's own caches do: with the application's serialiser and compression. */
final class UnitWriter extends OutputStream {
    /** The most bytes of a unit: a bound of Spark's blocks and of Java's arrays. */
    static final long LIMIT = Integer.MAX_VALUE - UnitBytes.WINDOW;

    private final ChunkedByteBufferOutputStream chunks =
            new ChunkedByteBufferOutputStream(UnitBytes.WINDOW, size -> ByteBuffer.allocate((Integer) size));
    private final TaskContext task = TaskContext.get();
    private final BlockId block;
    private final long limit;

    private UnitWriter(BlockId block, long limit) {
        this.block = block;
        this.limit = limit;
    }

    /**
     * Serialises rows; returns no bytes if there are no rows. Ends when the task is killed: not all rows look whether it is.
     *
     * @throws IllegalArgumentException if rows cannot be serialised, or take more bytes than the limit
     */
    static <T> ChunkedByteBuffer serialise(BlockId block, Iterator<T> rows, ClassTag<T> type, long limit) {
        if (!rows.hasNext()) {
            return new ChunkedByteBuffer(new ByteBuffer[0]);
        }
        UnitWriter writer = new UnitWriter(block, limit);
        try {
            SparkEnv.get().serializerManager().dataSerializeStream(block, writer, rows, type);
        } catch (Exception e) {
            if (e instanceof NotSerializableException) {
                throw new IllegalArgumentException(
                        "classes of rows must be serialisable by spark.serializer, got "
                                + e.getMessage().lines().findFirst().orElseThrow()
                                + ": implement java.io.Serializable, or use Kryo",
                        e);
            }
            throw e;
        }
        return writer.chunks.toChunkedByteBuffer();
    }

    @Override
    public void write(int oneByte) {
        check(1);
        chunks.write(oneByte);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        check(length);
        chunks.write(bytes, offset, length);
    }

    private void check(int more) {
        if (task != null) {
            task.killTaskIfInterrupted();
        }
        if (chunks.size() + more > limit) {
            throw new IllegalArgumentException("a partition must have at most " + limit
                    + " bytes when serialised, got more for " + block + ": repartition into more partitions");
        }
    }

    @Override
    public void close() throws IOException {
        chunks.close();
    }
}
