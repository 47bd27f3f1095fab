/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec;
import scala.jdk.javaapi.CollectionConverters;

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

    /**
     * Why the rows of a plan may come at other places when they are computed again: an answer to a coded prediction below may be
     * predicted one time and reconstructed, or unavailable, the next. Empty if they come at the same ones.
     */
    static Optional<String> doubt(SparkPlan plan) {
        return doubt(plan, new HashSet<>());
    }

    /** Doubts the rows below first. Of those without any, it collects the columns that follow from answers. */
    private static Optional<String> doubt(SparkPlan plan, Set<ExprId> answers) {
        Optional<String> below = children(plan).stream()
                .map(child -> doubt(child, answers))
                .flatMap(Optional::stream)
                .findFirst();
        return below.or(() -> here(plan, answers));
    }

    private static Optional<String> here(SparkPlan plan, Set<ExprId> answers) {
        if (plan instanceof PredictExec prediction) {
            return here(prediction, answers);
        }
        List<Expression> following = CollectionConverters.asJava(plan.expressions()).stream()
                .filter(expression -> follows(expression, answers))
                .toList();
        if (plan instanceof ProjectExec) {
            following.forEach(column -> answers.add(((NamedExpression) column).exprId()));
            return Optional.empty();
        }
        if (plan instanceof UnionExec union) {
            children(union).forEach(child -> addUnited(child, union, answers));
        }
        return following.stream()
                .map(expression -> plan.nodeName() + " reads its answers in " + expression.sql())
                .findFirst();
    }

    private static Optional<String> here(PredictExec prediction, Set<ExprId> answers) {
        if (!prediction.isCoded() && prediction.inputs().stream().noneMatch(input -> follows(input, answers))) {
            return Optional.empty();
        }
        answers.add(prediction.result().exprId());
        return prediction.failsOnError()
                ? Optional.empty()
                : Optional.of("rows of it may be unavailable, as its onError says");
    }

    /** A union has columns of its own, at the places of those of each child. */
    private static void addUnited(SparkPlan child, UnionExec union, Set<ExprId> answers) {
        for (int i = 0; i < child.output().length(); i++) {
            if (answers.contains(child.output().apply(i).exprId())) {
                answers.add(union.output().apply(i).exprId());
            }
        }
    }

    private static boolean follows(Expression expression, Set<ExprId> answers) {
        return CollectionConverters.asJava(expression.references().toSeq()).stream()
                .anyMatch(column -> answers.contains(column.exprId()));
    }

    private static List<SparkPlan> children(SparkPlan plan) {
        return CollectionConverters.asJava(plan.children());
    }
}
