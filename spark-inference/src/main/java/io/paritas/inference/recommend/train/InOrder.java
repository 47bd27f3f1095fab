/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import java.io.Serializable;
import org.apache.spark.Partition;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.PartitionCoalescer;
import org.apache.spark.rdd.PartitionGroup;
import org.apache.spark.rdd.RDD;
import scala.Option;

/**
 * Puts neighbouring partitions together, and keeps their order. Spark's own way goes by the hosts that partitions lie on: a training that is
 * resumed on others would find other samples in its partitions.
 */
final class InOrder implements PartitionCoalescer, Serializable {
    private static final long serialVersionUID = 1;

    private InOrder() {}

    /** Returns so many partitions; there must be as many at least. */
    static <T> JavaRDD<T> coalesce(JavaRDD<T> rows, int count) {
        return rows.rdd()
                .coalesce(count, false, Option.apply(new InOrder()), null)
                .toJavaRDD();
    }

    @Override
    public PartitionGroup[] coalesce(int count, RDD<?> parent) {
        Partition[] partitions = parent.partitions();
        PartitionGroup[] groups = new PartitionGroup[count];
        for (int i = 0; i < count; i++) {
            int from = (int) ((long) partitions.length * i / count);
            int to = (int) ((long) partitions.length * (i + 1) / count);
            groups[i] = new PartitionGroup(
                    parent.preferredLocations(partitions[from]).headOption());
            for (int p = from; p < to; p++) {
                groups[i].partitions().addOne(partitions[p]);
            }
        }
        return groups;
    }
}
