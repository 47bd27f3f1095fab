/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.spark.ec.cache.ErasureCodedExec;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.FileSourceOptions;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.LocalTableScanExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.RangeExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Proves from a plan that each partition has the same rows in the same order whenever a task computes it. Nodes that are not
 * listed here prove nothing. Blocks of a cache may be lost and computed again, so a cache proves what its own plan does.
 */
final class StableRows {
    /* These read the same rows in the same order, or hand on those of their children in their order. */
    private static final Set<Class<? extends SparkPlan>> KNOWN = Set.of(
            FileSourceScanExec.class,
            InMemoryTableScanExec.class,
            ErasureCodedExec.class,
            LocalTableScanExec.class,
            RangeExec.class,
            ProjectExec.class,
            FilterExec.class,
            UnionExec.class,
            ColumnarToRowExec.class,
            WholeStageCodegenExec.class,
            InputAdapter.class,
            AdaptiveSparkPlanExec.class);

    private StableRows() {}

    /** Why the rows of a plan may differ when they are computed again; empty if they are the same. */
    static Optional<String> doubt(SparkPlan plan) {
        return here(plan).or(() -> below(plan)
                .map(StableRows::doubt)
                .flatMap(Optional::stream)
                .findFirst());
    }

    private static Optional<String> here(SparkPlan plan) {
        if (!KNOWN.contains(plan.getClass()) && !(plan instanceof QueryStageExec)) {
            return Optional.of(plan.nodeName() + " may give rows in another order when it runs again");
        }
        if (plan instanceof FileSourceScanExec scan && mayLeaveOut(scan)) {
            return Optional.of("files that cannot be read are left out");
        }
        return CollectionConverters.asJava(plan.expressions()).stream()
                .filter(expression -> !expression.deterministic())
                .map(StableRows::doubt)
                .findFirst();
    }

    /** Names the innermost part that is not deterministic. */
    private static String doubt(Expression expression) {
        return CollectionConverters.asJava(expression.children()).stream()
                .filter(part -> !part.deterministic())
                .findFirst()
                .map(StableRows::doubt)
                .orElseGet(() -> expression.sql() + " may give another value when it runs again");
    }

    /** Whether a failure to read, which may pass, leaves out rows. */
    private static boolean mayLeaveOut(FileSourceScanExec scan) {
        FileSourceOptions options = new FileSourceOptions(scan.relation().options());
        return options.ignoreCorruptFiles()
                || options.ignoreMissingFiles()
                || scan.conf().ignoreCorruptFiles()
                || scan.conf().ignoreMissingFiles();
    }

    private static Stream<SparkPlan> below(SparkPlan plan) {
        if (plan instanceof InMemoryTableScanExec scan) {
            return Stream.of(scan.relation().cacheBuilder().cachedPlan());
        }
        if (plan instanceof AdaptiveSparkPlanExec adaptive) {
            return Stream.of(adaptive.executedPlan());
        }
        if (plan instanceof QueryStageExec stage) {
            return Stream.of(stage.plan());
        }
        return CollectionConverters.asJava(plan.children()).stream();
    }
}
