/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import io.paritas.spark.ec.store.Protection;
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

/** Plans what reads erasure-coded rows: as Spark does for its cached tables, below a node that shows more. */
public final class ErasureCodedScans extends SparkStrategy {
    private static final long serialVersionUID = 1;

    private final transient org.apache.spark.sql.classic.SparkSession session;

    public ErasureCodedScans(SparkSession session) {
        this.session = (org.apache.spark.sql.classic.SparkSession) session;
    }

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        return protection(plan).map(protection -> scans(plan, protection)).orElseGet(() -> seq(List.of()));
    }

    private Seq<SparkPlan> scans(LogicalPlan plan, Protection<?> protection) {
        return seq(CollectionConverters.asJava(
                        session.sessionState().planner().InMemoryScans().apply(plan))
                .stream()
                .map(scan -> (SparkPlan) scan.transformUp(shown(protection)))
                .toList());
    }

    private static PartialFunction<SparkPlan, SparkPlan> shown(Protection<?> protection) {
        return new AbstractPartialFunction<>() {
            @Override
            public boolean isDefinedAt(SparkPlan plan) {
                return plan instanceof InMemoryTableScanExec;
            }

            @Override
            public SparkPlan apply(SparkPlan plan) {
                return new ErasureCodedExec(
                        plan, protection.code().toString(), protection.rdd().metrics());
            }
        };
    }

    /** Of rows that a plan filters or projects, but does not combine with others. */
    private static Optional<Protection<CachedBatch>> protection(LogicalPlan plan) {
        LogicalPlan node = plan;
        while (node instanceof UnaryNode unary) {
            node = unary.child();
        }
        return ErasureCodedDatasets.protection(node);
    }

    private static Seq<SparkPlan> seq(List<SparkPlan> plans) {
        return CollectionConverters.asScala(plans).toList();
    }
}
