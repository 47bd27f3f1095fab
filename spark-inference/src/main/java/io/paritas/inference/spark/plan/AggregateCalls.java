/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Moves calls over aggregates, such as {@code predict(model, collect_list(value))} with GROUP BY, into a projection
 * above the aggregation.
 */
final class AggregateCalls {
    private final Aggregate aggregate;
    private final List<NamedExpression> before = new ArrayList<>();
    private final List<NamedExpression> behind = new ArrayList<>();

    private AggregateCalls(Aggregate aggregate) {
        this.aggregate = aggregate;
        for (NamedExpression column : CollectionConverters.asJava(aggregate.aggregateExpressions())) {
            if (isCall((Expression) column)) {
                behind.add((NamedExpression) ((Expression) column).transformDown(new Before()));
            } else {
                before.add(column);
                behind.add(column.toAttribute());
            }
        }
    }

    /** Whether an operator has such calls. */
    static boolean has(LogicalPlan node) {
        return node instanceof Aggregate aggregate
                && CollectionConverters.asJava(aggregate.aggregateExpressions()).stream()
                        .anyMatch(column -> isCall((Expression) column));
    }

    /** Whether an expression has a call over an aggregate. */
    static boolean isCall(Expression expression) {
        return (boolean) expression.exists(part ->
                part instanceof PredictCall && (boolean) part.exists(inner -> inner instanceof AggregateExpression));
    }

    /** Returns the aggregation, and above it a projection with the calls. */
    static LogicalPlan split(LogicalPlan node) {
        AggregateCalls split = new AggregateCalls((Aggregate) node);
        Aggregate first = new Aggregate(
                split.aggregate.groupingExpressions(),
                Attributes.seq(split.before),
                split.aggregate.child(),
                split.aggregate.hint());
        return new Project(Attributes.seq(split.behind), first);
    }

    /** Moves what only the aggregation can compute into it, and leaves a reference. */
    private final class Before extends AbstractPartialFunction<Expression, Expression> {
        @Override
        public boolean isDefinedAt(Expression expression) {
            return expression instanceof AggregateExpression
                    || CollectionConverters.asJava(aggregate.groupingExpressions()).stream()
                            .anyMatch(expression::semanticEquals);
        }

        @Override
        public Expression apply(Expression expression) {
            Alias alias = Attributes.alias(expression, expression.sql());
            before.add(alias);
            return alias.toAttribute();
        }
    }
}
