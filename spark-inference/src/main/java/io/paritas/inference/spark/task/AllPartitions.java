/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import java.nio.ByteBuffer;
import org.apache.spark.Partition;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.ShuffledRowRDD;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The partitions of rows, for tasks that read others than their own, which they seldom do: those of an exchange, which tasks can
 * make themselves, and all others as a broadcast. Immutable.
 *
 * @param bytes of the partitions; null for those of an exchange
 */
record AllPartitions(Broadcast<byte[]> bytes) implements Serializable {
    private static final long serialVersionUID = 1;
    private static final ClassTag<Partition[]> PARTITIONS = ClassTag$.MODULE$.apply(Partition[].class);

    /** Those of rows; called by the driver. */
    static AllPartitions of(RDD<InternalRow> rows) {
        if (rows instanceof ShuffledRowRDD) {
            return new AllPartitions(null);
        }
        ByteBuffer written = SparkEnv.get().closureSerializer().newInstance().serialize(rows.partitions(), PARTITIONS);
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        return new AllPartitions(rows.context().broadcast(bytes, ClassTag$.MODULE$.apply(byte[].class)));
    }

    /** One of them; called by a task. */
    Partition get(RDD<InternalRow> rows, int partition) {
        Partition[] all = bytes == null
                ? rows.partitions()
                : SparkEnv.get()
                        .closureSerializer()
                        .newInstance()
                        .deserialize(
                                ByteBuffer.wrap(bytes.value()),
                                Thread.currentThread().getContextClassLoader(),
                                PARTITIONS);
        return all[partition];
    }
}
