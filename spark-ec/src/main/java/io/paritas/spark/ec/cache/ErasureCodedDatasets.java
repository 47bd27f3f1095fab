/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.store.Protection;
import io.paritas.spark.ec.store.Terms;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
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

    /** A Dataset of the same rows, which are computed, stored and protected when this returns. */
    public static <T> Dataset<T> persist(Dataset<T> rows, CodeName code, Terms terms) {
        org.apache.spark.sql.classic.Dataset<T> dataset = (org.apache.spark.sql.classic.Dataset<T>) rows;
        QueryExecution query = dataset.queryExecution();
        InMemoryRelation relation = InMemoryRelation$.MODULE$.apply(StorageLevel.NONE(), query, Option.empty());
        InMemoryRelation kept = SQLExecution.withNewExecutionId(
                query,
                Option.apply("persist erasure-coded as " + code),
                () -> ErasureCodedBuilder.persist(relation, code, terms));
        return new org.apache.spark.sql.classic.Dataset<>(
                dataset.sparkSession(), (LogicalPlan) kept, dataset.encoder());
    }

    /** What keeps the rows of a Dataset; empty if they are not kept erasure-coded. */
    public static Optional<Protection<CachedBatch>> protection(Dataset<?> rows) {
        return protection(((org.apache.spark.sql.classic.Dataset<?>) rows).logicalPlan());
    }

    /** What keeps the rows that a plan reads; empty if it does more than to read rows that are kept erasure-coded. */
    public static Optional<Protection<CachedBatch>> protection(LogicalPlan plan) {
        return plan instanceof InMemoryRelation relation
                        && relation.cacheBuilder() instanceof ErasureCodedBuilder builder
                ? Optional.of(builder.protection())
                : Optional.empty();
    }
}
