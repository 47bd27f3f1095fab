/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.store.ErasureCodedStore;
import io.paritas.spark.ec.store.StoreSettings;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.columnar.CachedBatch;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.columnar.InMemoryRelation$;
import org.apache.spark.storage.StorageLevel;
import scala.Option;

/** Datasets whose rows are kept erasure-coded. */
public final class ErasureCodedDatasets {
    private ErasureCodedDatasets() {}

    /**
     * Computes, stores and protects rows; returns a Dataset of the stored rows.
     *
     * @param name by which messages call the rows: all plans begin with the same words
     */
    public static <T> Dataset<T> persist(Dataset<T> rows, String name, CodeName code) {
        StoreSettings settings =
                StoreSettings.of(rows.sparkSession().sparkContext().getConf());
        org.apache.spark.sql.classic.Dataset<T> dataset = (org.apache.spark.sql.classic.Dataset<T>) rows;
        QueryExecution query = dataset.queryExecution();
        InMemoryRelation relation = InMemoryRelation$.MODULE$.apply(StorageLevel.NONE(), query, Option.empty());
        InMemoryRelation kept = SQLExecution.withNewExecutionId(
                query,
                Option.apply("persist erasure-coded as " + code),
                () -> ErasureCodedBuilder.persist(relation, name, code, settings));
        return new org.apache.spark.sql.classic.Dataset<>(
                dataset.sparkSession(), (LogicalPlan) kept, dataset.encoder());
    }

    /** The store of a Dataset, or of a view of one as a table; empty if its rows are not kept erasure-coded. */
    public static Optional<ErasureCodedStore<CachedBatch>> store(Dataset<?> rows) {
        return store(plan(rows));
    }

    /** What a Dataset does, below the names of views. */
    public static LogicalPlan plan(Dataset<?> rows) {
        return below(((org.apache.spark.sql.classic.Dataset<?>) rows)
                .queryExecution()
                .analyzed());
    }

    /** What is below the names of views at the top of a plan. */
    static LogicalPlan below(LogicalPlan named) {
        LogicalPlan plan = named;
        while (plan instanceof SubqueryAlias || plan instanceof View) {
            plan = plan.children().head();
        }
        return plan;
    }

    /** The store that a plan reads; empty if the plan does more, be it to give the rows another name. */
    public static Optional<ErasureCodedStore<CachedBatch>> store(LogicalPlan plan) {
        return plan instanceof InMemoryRelation relation
                        && relation.cacheBuilder() instanceof ErasureCodedBuilder builder
                ? Optional.of(builder.store())
                : Optional.empty();
    }
}
