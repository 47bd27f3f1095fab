/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.store.Protection;
import io.paritas.spark.ec.store.Terms;
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
 * Spark's own cache of a plan's rows, in Spark's own batches of columns, except for who keeps the batches: it is scanned,
 * pruned and planned like any cached table. Made by a copy of the builder that Spark makes for a plan.
 */
final class ErasureCodedBuilder extends CachedRDDBuilder {
    private static final long serialVersionUID = 1;

    private final transient Protection<CachedBatch> protection;

    private ErasureCodedBuilder(CachedRDDBuilder rows, CodeName code, Terms terms) {
        super(rows.serializer(), StorageLevel.NONE(), rows.cachedPlan(), rows.tableName(), rows.logicalPlan());
        this.protection = Protection.of(super.cachedColumnBuffers(), code, terms);
    }

    /** Computes and protects the rows of a relation that is not cached yet; returns the same relation on them. */
    static InMemoryRelation persist(InMemoryRelation relation, CodeName code, Terms terms) {
        ErasureCodedBuilder builder = new ErasureCodedBuilder(relation.cacheBuilder(), code, terms);
        /* No order: copies of a relation, which a self-join has, keep the order of the attributes of the first. Scans know it. */
        return InMemoryRelation$.MODULE$.apply(
                relation.output(),
                builder,
                CollectionConverters.asScala(List.<SortOrder>of()).toList(),
                relation.statsOfPlanToCache());
    }

    Protection<CachedBatch> protection() {
        return protection;
    }

    @Override
    public RDD<CachedBatch> cachedColumnBuffers() {
        return protection.rdd();
    }

    @Override
    public void clearCache(boolean blocking) {
        protection.close(blocking);
    }
}
