/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.spark.Partition;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.ShuffledRowRDD;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The partitions of rows, for tasks that read others than their own, which they seldom do: those of an exchange, which tasks can
 * make themselves, and all others as a broadcast. A partition of many small files is large, so a task reads only those about the
 * one it wants. Immutable.
 *
 * @param chunks the bytes of so many partitions each; null for those of an exchange
 */
record AllPartitions(Broadcast<byte[][]> chunks) implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int CHUNK = 256;
    private static final ClassTag<Partition[]> PARTITIONS = ClassTag$.MODULE$.apply(Partition[].class);

    /** Those of rows; called by the driver. */
    static AllPartitions of(RDD<InternalRow> rows) {
        if (rows instanceof ShuffledRowRDD) {
            return new AllPartitions(null);
        }
        Partition[] all = rows.partitions();
        SerializerInstance serializer = serializer();
        byte[][] chunks = IntStream.iterate(0, from -> from < all.length, from -> from + CHUNK)
                .mapToObj(from -> Arrays.copyOfRange(all, from, Math.min(all.length, from + CHUNK)))
                .map(chunk -> bytes(serializer.serialize(chunk, PARTITIONS)))
                .toArray(byte[][]::new);
        return new AllPartitions(rows.context().broadcast(chunks, ClassTag$.MODULE$.apply(byte[][].class)));
    }

    private static byte[] bytes(ByteBuffer written) {
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return bytes;
    }

    /** One of them; called by a task. */
    Partition get(RDD<InternalRow> rows, int partition) {
        if (chunks == null) {
            return rows.partitions()[partition];
        }
        ByteBuffer chunk = ByteBuffer.wrap(chunks.value()[partition / CHUNK]);
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return serializer().deserialize(chunk, loader, PARTITIONS)[partition % CHUNK];
    }

    private static SerializerInstance serializer() {
        return SparkEnv.get().closureSerializer().newInstance();
    }
}
