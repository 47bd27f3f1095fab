/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

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
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The first rows of an order, with predictions. They are those that Spark would give with an ordinary function: rows that were sorted
 * below a prediction are sorted again above it. No more of them are predicted than are wanted.
 */
final class FirstRows {
    /** One task finds the first rows, and without an exchange it predicts them. More are predicted by all tasks, before they are sorted. */
    private static final int MOST = 1_000;

    private final Expression limit;

    private FirstRows(Expression limit) {
        this.limit = limit;
    }

    private LogicalPlan limited(LogicalPlan plan) {
        return new GlobalLimit(limit, new LocalLimit(limit, plan));
    }

    /** Returns the same node if it is no limit above predictions, or if there is nothing to change. */
    static LogicalPlan of(LogicalPlan node) {
        if (!(node instanceof GlobalLimit global && global.child() instanceof LocalLimit local)) {
            return node;
        }
        LogicalPlan all = local.child();
        FirstRows first = new FirstRows(global.limitExpr());
        LogicalPlan ordered = first.ordered(all, true);
        return ordered == all ? node : first.limited(ordered);
    }

    /**
     * Looks for the order of rows.
     *
     * @param every whether the limit is one of these rows, too: no condition is between
     */
    private LogicalPlan ordered(LogicalPlan plan, boolean every) {
        if (plan instanceof Project || plan instanceof Filter) {
            LogicalPlan below = plan.children().apply(0);
            LogicalPlan child = ordered(below, every && plan instanceof Project);
            return child == below ? plan : Plans.above(child, plan);
        }
        if (plan instanceof Prediction prediction) {
            return RowOrder.of(prediction.child())
                    .filter(order -> order.limit().isEmpty())
                    .map(order -> sortedAgain(prediction, order, every))
                    .orElse(prediction);
        }
        if (plan instanceof Sort sort && sort.global() && every && isSmall()) {
            LogicalPlan child = firstPredicted(sort.child(), sort);
            return child == sort.child() ? sort : new RowOrder(child, sort, Optional.empty()).aboveFew(child);
        }
        return plan;
    }

    private LogicalPlan sortedAgain(Prediction prediction, RowOrder order, boolean every) {
        Prediction keeping = prediction.keeping(order.keys());
        return every
                ? order.aboveFew(keeping.withNewChildInternal(limited(order.rows())))
                : order.above(keeping.withNewChildInternal(order.rows()));
    }

    private boolean isSmall() {
        return limit instanceof Literal rows && ((Number) rows.value()).longValue() <= MOST;
    }

    /** Predicts the first rows only of those that are sorted above the predictions, if it does not take these to sort them. */
    private LogicalPlan firstPredicted(LogicalPlan plan, Sort sort) {
        if (plan instanceof Project project && project.deterministic()) {
            LogicalPlan child = firstPredicted(project.child(), below(project, sort));
            return child == project.child() ? project : Plans.above(child, project);
        }
        return plan instanceof Prediction prediction
                        && sort.references().subsetOf(prediction.child().outputSet())
                        && isMore(prediction.child())
                ? prediction.withNewChildInternal(limited(Plans.above(prediction.child(), sort)))
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

    private boolean isMore(LogicalPlan plan) {
        Option<Object> most = plan.maxRows();
        return most.isEmpty() || ((Number) most.get()).longValue() > ((Number) ((Literal) limit).value()).longValue();
    }
}
