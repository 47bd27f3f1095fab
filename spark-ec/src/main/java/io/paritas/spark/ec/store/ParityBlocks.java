/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.StorageLevel;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** The parity units, and the sign that they are current, to Spark: cached blocks of this RDD, which is never computed. */
final class ParityBlocks extends RDD<byte[]> {
    private static final long serialVersionUID = 1;

    private final int blocks;
    private transient int reserved;

    /** @param blocks as many as Spark's UI shows; more may be reserved */
    ParityBlocks(SparkContext context, int blocks) {
        super(
                context,
                CollectionConverters.asScala(List.<Dependency<?>>of()).toList(),
                ClassTag$.MODULE$.apply(byte[].class));
        this.blocks = blocks;
    }

    /** Reserves blocks that were never used; returns the first one's number. On the driver, for one thread at a time. */
    int reserve(int blocks) {
        int first = reserved;
        reserved += blocks;
        return first;
    }

    @Override
    public StorageLevel getStorageLevel() {
        return StorageLevel.MEMORY_AND_DISK_SER();
    }

    @Override
    public Partition[] getPartitions() {
        return IntStream.range(0, blocks).mapToObj(NumberedPartition<Void>::new).toArray(Partition[]::new);
    }

    @Override
    public Iterator<byte[]> compute(Partition partition, TaskContext task) {
        throw new UnsupportedOperationException("parity is made from stripes, not computed as an RDD");
    }
}
