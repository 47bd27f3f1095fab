/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.Dependency;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.Partition;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.ExecutorCacheTaskLocation;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.CompletionIterator;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * An RDD whose partitions are kept erasure-coded: those of its lineage, in the same order. Any number of jobs may use it. Until
 * it is {@link #publish published} it reads its lineage.
 */
public final class ErasureCodedRDD<T> extends RDD<T> {
    private static final long serialVersionUID = 1;

    private final transient ErasureCodedStore<T> store;
    private final UnitMetrics metrics;
    private volatile StripeLayout layout;

    ErasureCodedRDD(ErasureCodedStore<T> store, HiddenLineage<T> rows, UnitMetrics metrics) {
        super(
                rows.context(),
                CollectionConverters.asScala(List.<Dependency<?>>of(rows.dependency()))
                        .toList(),
                rows.elementClassTag());
        this.store = store;
        this.metrics = metrics;
    }

    /** Sets the stripes that jobs read from now on; null: they read the lineage. */
    void publish(StripeLayout newLayout) {
        this.layout = newLayout;
    }

    /** Whether jobs read the stored partitions, not the lineage. */
    boolean isPublished() {
        return layout != null;
    }

    /** The store that keeps the partitions. On the driver. */
    public ErasureCodedStore<T> store() {
        return store;
    }

    /** Drops the stored partitions. Jobs that still use this RDD compute its lineage. */
    @Override
    public ErasureCodedRDD<T> unpersist(boolean blocking) {
        if (blocking) {
            store.close();
        } else {
            store.closeInBackground();
        }
        return this;
    }

    /** Is refused: Spark ignores it once a job has run, as the one that stored the partitions. */
    @Override
    public void checkpoint() {
        throw new UnsupportedOperationException("an RDD that is kept erasure-coded must not be checkpointed as well:"
                + " checkpoint what is made of it, such as kept.map(element -> element)");
    }

    /**
     * Is refused, as are {@code cache} and {@code localCheckpoint}: Spark would take the units, which are this RDD's blocks, for what
     * it caches itself, and read them in another way.
     */
    @Override
    public ErasureCodedRDD<T> persist(StorageLevel level) {
        throw new UnsupportedOperationException("an RDD that is kept erasure-coded must not be cached as well, got "
                + level.description() + ": cache what is made of it, such as kept.map(element -> element)");
    }

    /** Counts of decoded, recomputed and damaged units. */
    public UnitMetrics metrics() {
        return metrics;
    }

    /** The data units are this RDD's cached blocks: the scheduler finds them, and Spark's UI lists them. */
    @Override
    public StorageLevel getStorageLevel() {
        return StorageLevel.MEMORY_AND_DISK_SER();
    }

    @Override
    public Partition[] getPartitions() {
        return rows().partitions();
    }

    @Override
    public Option<Partitioner> partitioner() {
        return rows().partitioner();
    }

    /** The executors of a partition's stripe, for partitions that are lost. The scheduler itself prefers a unit's own executor. */
    @Override
    public Seq<String> getPreferredLocations(Partition partition) {
        Set<String> executors = new LinkedHashSet<>();
        StripeLayout current = layout;
        if (current != null) {
            current.stripeOf(partition.index()).ifPresent(stripe -> new UnitStore()
                    .locations(current.access().blocks(stripe, stripe.stored()))
                    .forEach(who -> who.forEach(executor -> executors.add(location(executor)))));
        }
        return CollectionConverters.asScala(executors).toList();
    }

    private static String location(BlockManagerId executor) {
        return new ExecutorCacheTaskLocation(executor.host(), executor.executorId()).toString();
    }

    @Override
    public Iterator<T> compute(Partition partition, TaskContext task) {
        if (layout == null) {
            return rows().iterator(partition, task);
        }
        Optional<Stripe> stripe = layout.stripeOf(partition.index());
        return stripe.isEmpty()
                ? CollectionConverters.asScala(List.<T>of().iterator())
                : read(stripe.get(), partition, task);
    }

    private Iterator<T> read(Stripe stripe, Partition partition, TaskContext task) {
        try (PartitionReader reader = new PartitionReader(layout.access(), stripe, partition.index())) {
            UnitBytes unit = reader.read(() -> {
                rows().show(partition.index());
                return UnitWriter.serialise(
                        block(partition), rows().iterator(partition, task), elementClassTag(), UnitWriter.LIMIT);
            });
            Iterator<T> elements = SparkEnv.get()
                    .serializerManager()
                    .dataDeserializeStream(block(partition), unit.stream(), elementClassTag());
            Iterator<T> closing = CompletionIterator.apply(elements, () -> {
                unit.close();
                return BoxedUnit.UNIT;
            });
            return new InterruptibleIterator<>(task, closing);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while reading " + block(partition), e);
        }
    }

    private RDDBlockId block(Partition partition) {
        return new RDDBlockId(id(), partition.index());
    }

    @SuppressWarnings("unchecked")
    HiddenLineage<T> rows() {
        return (HiddenLineage<T>) dependencies().head().rdd();
    }
}
