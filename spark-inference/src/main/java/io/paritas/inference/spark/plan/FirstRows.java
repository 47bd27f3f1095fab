/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Offset;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The first rows of an order, with predictions. They are those that Spark would give with an ordinary function, in that order: rows that
 * were sorted below a prediction are sorted again above it. No more of them are predicted than are wanted.
 */
final class FirstRows {
    /** One task finds the first rows, and without an exchange it predicts them. More are predicted by all tasks, before they are sorted. */
    static final int MOST = 1_000;

    private FirstRows() {}

    /** Sorts the predictions below a limit, an offset, or above these. Returns the same node if there is nothing to change. */
    static LogicalPlan sorted(LogicalPlan node) {
        if (node instanceof Prediction prediction && !prediction.isSorted()) {
            return RowOrder.of(prediction.child())
                    .filter(RowOrder::isFew)
                    .map(order -> again(prediction, order, order.limit()))
                    .orElse(prediction);
        }
        if (!(node instanceof GlobalLimit || node instanceof Offset)) {
            return node;
        }
        return sortedBelow(node, Optional.empty());
    }

    /**
     * Looks for the predictions whose order counts.
     *
     * @param most how many of the rows are wanted; empty if that is not known
     */
    private static LogicalPlan sorted(LogicalPlan plan, Optional<Expression> most) {
        if (plan instanceof LocalLimit limit) {
            return sortedBelow(limit, Optional.of(limit.limitExpr()));
        }
        if (plan instanceof Project) {
            return sortedBelow(plan, most);
        }
        if (plan instanceof Offset offset) {
            return sortedBelow(plan, RowOrder.after(offset, most));
        }
        if (plan instanceof Filter) {
            LogicalPlan pushed = PushDown.pushed(plan);
            return pushed == plan ? sortedBelow(plan, Optional.empty()) : sorted(pushed, most);
        }
        if (plan instanceof Prediction prediction && !prediction.isSorted()) {
            return RowOrder.of(prediction.child())
                    .map(order -> again(prediction, order, most.or(order::limit)))
                    .orElse(prediction);
        }
        return plan instanceof Sort sort && sort.global() && isSmall(most)
                ? firstPredicted(sort, most.orElseThrow())
                : plan;
    }

    private static LogicalPlan sortedBelow(LogicalPlan plan, Optional<Expression> most) {
        LogicalPlan below = Plans.below(plan);
        LogicalPlan sorted = sorted(below, most);
        return sorted == below ? plan : Plans.above(sorted, plan);
    }

    /** The same columns, and the rows in order. */
    private static LogicalPlan again(Prediction prediction, RowOrder order, Optional<Expression> most) {
        Prediction sorted = prediction.sortedBy(order.keys(), order.rows(most));
        return new Project(Attributes.seq(CollectionConverters.asJava(prediction.output())), order.above(sorted));
    }

    private static boolean isSmall(Optional<Expression> most) {
        return most.isPresent() && most.get() instanceof Literal limit && rows(limit) <= MOST;
    }

    private static long rows(Literal limit) {
        return ((Number) limit.value()).longValue();
    }

    /** Predicts the first rows only, of those that are sorted above their predictions without reading these. */
    private static LogicalPlan firstPredicted(Sort sort, Expression limit) {
        LogicalPlan child = firstPredicted(sort.child(), sort, limit);
        return child == sort.child() ? sort : new RowOrder(sort, sort).above(child);
    }

    private static LogicalPlan firstPredicted(LogicalPlan plan, Sort sort, Expression limit) {
        if (plan instanceof Project project && Plans.isDeterministic(project)) {
            LogicalPlan child = firstPredicted(project.child(), below(project, sort), limit);
            return child == project.child() ? project : Plans.above(child, project);
        }
        return plan instanceof Prediction prediction
                        && sort.references().subsetOf(prediction.child().outputSet())
                        && !Plans.isAtMost(
                                rows((Literal) limit), prediction.child().maxRows())
                ? prediction.sortedBy(List.of(), Plans.limited(Plans.above(prediction.child(), sort), limit))
                : plan;
    }

    /** The same order, by what a projection computes its keys from. */
    private static Sort below(Project project, Sort sort) {
        List<NamedExpression> computed = CollectionConverters.asJava(project.projectList());
        return (Sort) Plans.replaced(sort, part -> computed.stream()
                .filter(column -> part instanceof Attribute key
                        && column instanceof Alias
                        && column.exprId().equals(key.exprId()))
                .map(column -> ((Alias) column).child())
                .findAny()
                .orElse(part));
    }
}
