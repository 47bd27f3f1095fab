/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.util.Optional;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec;

/** Coded predictions over the answers of others, none of which exchanges its rows. */
final class StackedCalls {
    private StackedCalls() {}

    /**
     * The coded prediction whose segments are the partitions of a plan, in their order: those of parity have no rows. Empty if there is none.
     * To be asked when the plan has been executed.
     */
    static Optional<PredictExec> below(SparkPlan plan) {
        return plan instanceof PredictExec prediction && prediction.isCoded()
                ? Optional.of(prediction).filter(PredictExec::isInPlace)
                : source(plan).flatMap(StackedCalls::below);
    }

    /** The rows of which a plan makes its own, a partition of one: nothing of a partition without rows. */
    private static Optional<SparkPlan> source(SparkPlan plan) {
        if (plan instanceof BroadcastHashJoinExec join) {
            return Optional.of(join.streamedPlan());
        }
        boolean handsOn = plan instanceof ProjectExec
                || plan instanceof FilterExec
                || plan instanceof PredictExec
                || plan instanceof WholeStageCodegenExec
                || plan instanceof InputAdapter;
        return handsOn ? Optional.of(plan.children().apply(0)) : Optional.empty();
    }
}
