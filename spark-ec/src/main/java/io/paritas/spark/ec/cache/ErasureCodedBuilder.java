/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.store.ErasureCodedStore;
import io.paritas.spark.ec.store.StoreSettings;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.columnar.CachedBatch;
import org.apache.spark.sql.execution.columnar.CachedRDDBuilder;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.columnar.InMemoryRelation$;
import org.apache.spark.storage.StorageLevel;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Spark's cache of a plan's rows, with the batches of columns in an erasure-coded store: scanned, pruned and planned like any
 * cached table. A copy of the builder that Spark makes for the plan.
 */
final class ErasureCodedBuilder extends CachedRDDBuilder {
    private static final long serialVersionUID = 1;

    private final transient ErasureCodedStore<CachedBatch> store;
    private final transient List<SortOrder> order;

    private ErasureCodedBuilder(
            CachedRDDBuilder rows, String name, List<SortOrder> order, CodeName code, StoreSettings settings) {
        super(rows.serializer(), StorageLevel.NONE(), rows.cachedPlan(), rows.tableName(), rows.logicalPlan());
        this.store = ErasureCodedStore.of(super.cachedColumnBuffers(), name, code, settings);
        this.order = order;
    }

    /** Computes and stores the rows of a relation that is not cached yet; returns the same relation on the stored rows. */
    static InMemoryRelation persist(InMemoryRelation relation, String name, CodeName code, StoreSettings settings) {
        ErasureCodedBuilder builder = new ErasureCodedBuilder(
                relation.cacheBuilder(), name, CollectionConverters.asJava(relation.outputOrdering()), code, settings);
        /* No order: copies of a relation, which a self-join has, keep the order of the attributes of the first. CachedOrder knows it. */
        return InMemoryRelation$.MODULE$.apply(
                relation.output(),
                builder,
                CollectionConverters.asScala(List.<SortOrder>of()).toList(),
                relation.statsOfPlanToCache());
    }

    /** The order of the rows, by the columns of the plan that was cached; empty if there is none. */
    List<SortOrder> order() {
        return order;
    }

    ErasureCodedStore<CachedBatch> store() {
        return store;
    }

    @Override
    public RDD<CachedBatch> cachedColumnBuffers() {
        return store.rdd();
    }

    /**
     * Whether its counts of rows and bytes are right. Jobs that use rows that are dropped compute them, as far as they read them, and Spark
     * counts these.
     */
    @Override
    public boolean isCachedColumnBuffersLoaded() {
        return !store.isClosed() && super.isCachedColumnBuffersLoaded();
    }

    /** Rows that were kept twice are not the same, although the plan is: they were computed at two times. Spark's own is a case class. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public void clearCache(boolean blocking) {
        if (blocking) {
            store.close();
        } else {
            store.closeInBackground();
        }
    }
}
