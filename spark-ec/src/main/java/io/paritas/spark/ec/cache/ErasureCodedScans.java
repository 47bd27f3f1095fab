/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import io.paritas.spark.ec.store.ErasureCodedStore;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode;
import org.apache.spark.sql.columnar.CachedBatch;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import scala.PartialFunction;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/** Plans scans of erasure-coded rows: as Spark plans those of cached tables, below a node that shows metrics. */
public final class ErasureCodedScans extends SparkStrategy {
    private static final long serialVersionUID = 1;

    private final transient org.apache.spark.sql.classic.SparkSession session;

    public ErasureCodedScans(SparkSession session) {
        this.session = (org.apache.spark.sql.classic.SparkSession) session;
    }

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        return store(plan).map(store -> scans(plan, store)).orElseGet(() -> seq(List.of()));
    }

    private Seq<SparkPlan> scans(LogicalPlan plan, ErasureCodedStore<?> store) {
        return seq(CollectionConverters.asJava(
                        session.sessionState().planner().InMemoryScans().apply(plan))
                .stream()
                .map(scan -> (SparkPlan) scan.transformUp(shown(store)))
                .toList());
    }

    private static PartialFunction<SparkPlan, SparkPlan> shown(ErasureCodedStore<?> store) {
        return new AbstractPartialFunction<>() {
            @Override
            public boolean isDefinedAt(SparkPlan plan) {
                return plan instanceof InMemoryTableScanExec;
            }

            @Override
            public SparkPlan apply(SparkPlan plan) {
                return new ErasureCodedExec(plan, store.describe(), store.rdd().metrics());
            }
        };
    }

    /** The store below a plan that filters or projects rows, but does not combine them with others. */
    private static Optional<ErasureCodedStore<CachedBatch>> store(LogicalPlan plan) {
        LogicalPlan node = plan;
        while (node instanceof UnaryNode unary) {
            node = unary.child();
        }
        return ErasureCodedDatasets.store(node);
    }

    private static Seq<SparkPlan> seq(List<SparkPlan> plans) {
        return CollectionConverters.asScala(plans).toList();
    }
}
