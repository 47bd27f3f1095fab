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

/** Work on stripes, a task for each. */
final class StripeRDD extends RDD<StripeWork.Result> {
    private static final long serialVersionUID = 1;

    private final transient List<StripeWork> work;
    private final Layout layout;
    private final long patienceMillis;
    private final UnitMetrics metrics;

    StripeRDD(ParityBlocks parity, List<StripeWork> work, Layout layout, long patienceMillis, UnitMetrics metrics) {
        super(
                parity.context(),
                CollectionConverters.asScala(List.<Dependency<?>>of(new Names(parity)))
                        .toList(),
                ClassTag$.MODULE$.apply(StripeWork.Result.class));
        this.work = work;
        this.layout = layout;
        this.patienceMillis = patienceMillis;
        this.metrics = metrics;
    }

    /** Reads nothing: it has Spark's UI list the parity. */
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

    /** Where units are to be placed: they need not be sent from there. */
    @Override
    public Seq<String> getPreferredLocations(Partition partition) {
        return CollectionConverters.asScala(work(partition).targets().stream()
                        .map(executor ->
                                new ExecutorCacheTaskLocation(executor.host(), executor.executorId()).toString())
                        .distinct()
                        .toList())
                .toList();
    }

    @Override
    public Iterator<StripeWork.Result> compute(Partition partition, TaskContext task) {
        try {
            return CollectionConverters.asScala(List.of(work(partition).run(layout, patienceMillis, metrics))
                    .iterator());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static StripeWork work(Partition partition) {
        return (StripeWork) ((NumberedPartition<?>) partition).work();
    }
}
