/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.Dependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import scala.Option;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The lineage of stored partitions, hidden from the scheduler for as long as it is not needed.
 *
 * <p>Spark's scheduler computes lost shuffles above a partition that is not cached, before a task can tell that it will decode
 * that partition. So each partition of this RDD claims to be cached: by a marker, a block of one byte with its name, on the
 * driver, which lives as long as the application. A task that cannot decode its partition removes the marker and reads the
 * lineage: either all of it is there, or Spark notices the lost shuffle, schedules again, and computes it.
 */
final class HiddenLineage<T> extends RDD<T> {
    private static final long serialVersionUID = 1;
    private static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(10);

    HiddenLineage(RDD<T> rows) {
        super(
                rows.context(),
                CollectionConverters.asScala(List.<Dependency<?>>of(new OneToOneDependency<>(rows)))
                        .toList(),
                rows.elementClassTag());
    }

    /** What the stored partitions depend on. */
    Dependency<T> dependency() {
        return new Hidden<>(this);
    }

    /** A task would wait for the driver, where the marker of its partition is: so the scheduler looks for no place behind it. */
    private static final class Hidden<T> extends OneToOneDependency<T> {
        private static final long serialVersionUID = 1;

        private final HiddenLineage<T> rows;

        Hidden(HiddenLineage<T> rows) {
            super(rows);
            this.rows = rows;
        }

        @Override
        public scala.collection.immutable.List<Object> getParents(int partition) {
            return new UnitStore().has(rows.marker(partition))
                    ? CollectionConverters.asScala(List.<Object>of()).toList()
                    : super.getParents(partition);
        }
    }

    /** Hides partitions. On the driver. */
    void hide(Collection<Integer> partitions) {
        UnitStore driver = new UnitStore();
        for (int partition : partitions) {
            if (!driver.has(marker(partition))) {
                driver.put(marker(partition), new ChunkedByteBuffer(ByteBuffer.allocate(1)));
            }
        }
    }

    /** Shows a partition to the scheduler, from a task. */
    void show(int partition) throws InterruptedException {
        UnitStore store = new UnitStore();
        store.removeEverywhere(marker(partition));
        long end = System.nanoTime() + GONE_NANOS;
        while (!store.locations(marker(partition)).get(0).isEmpty() && System.nanoTime() < end) {
            Thread.sleep(10);
        }
    }

    /** Shows partitions. On the driver. */
    void showAll(Collection<Integer> partitions) {
        UnitStore driver = new UnitStore();
        partitions.forEach(partition -> driver.remove(marker(partition)));
    }

    private RDDBlockId marker(int partition) {
        return new RDDBlockId(id(), partition);
    }

    /** Makes the scheduler look for the markers. */
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

    @Override
    public Iterator<T> compute(Partition partition, TaskContext task) {
        return rows().iterator(partition, task);
    }

    @SuppressWarnings("unchecked")
    private RDD<T> rows() {
        return (RDD<T>) dependencies().head().rdd();
    }
}
