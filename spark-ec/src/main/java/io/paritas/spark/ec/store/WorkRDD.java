/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.ExecutorCacheTaskLocation;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Runs work on units, a task for each piece. */
final class WorkRDD<R> extends RDD<R> {
    private static final long serialVersionUID = 1;

    private final transient List<? extends Work<R>> work;
    private final Access access;

    WorkRDD(ParityBlocks parity, List<? extends Work<R>> work, Access access) {
        super(
                parity.context(),
                CollectionConverters.asScala(List.<Dependency<?>>of(new Names(parity)))
                        .toList(),
                ClassTag$.MODULE$.apply(Object.class));
        this.work = work;
        this.access = access;
    }

    /** A dependency that reads nothing: it makes Spark's UI list the parity. */
    private static final class Names extends NarrowDependency<byte[]> {
        private static final long serialVersionUID = 1;

        Names(ParityBlocks parity) {
            super(parity);
        }

        @Override
        public Seq<Object> getParents(int partition) {
            return CollectionConverters.asScala(List.<Object>of()).toList();
        }
    }

    @Override
    public Partition[] getPartitions() {
        Partition[] partitions = new Partition[work.size()];
        for (int index = 0; index < partitions.length; index++) {
            partitions[index] = new NumberedPartition<>(index, work.get(index));
        }
        return partitions;
    }

    @Override
    public Seq<String> getPreferredLocations(Partition partition) {
        return CollectionConverters.asScala(work(partition).preferred().stream()
                        .map(executor ->
                                new ExecutorCacheTaskLocation(executor.host(), executor.executorId()).toString())
                        .distinct()
                        .toList())
                .toList();
    }

    @Override
    public Iterator<R> compute(Partition partition, TaskContext task) {
        try {
            return CollectionConverters.asScala(
                    List.of(WorkRDD.<R>work(partition).run(access)).iterator());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while working on units", e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <R> Work<R> work(Partition partition) {
        return (Work<R>) ((NumberedPartition<?>) partition).work();
    }
}
