/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Moves calls over groups into a projection above the aggregation: over aggregates, such as
 * {@code predict(model, collect_list(value))}, and over what is grouped by. Calls in the arguments of aggregates and in
 * what is grouped by are made below it, for each row.
 */
final class AggregateCalls {
    private final Aggregate aggregate;
    private final List<NamedExpression> before = new ArrayList<>();
    private final List<NamedExpression> behind = new ArrayList<>();

    private AggregateCalls(Aggregate aggregate) {
        this.aggregate = aggregate;
        for (NamedExpression column : CollectionConverters.asJava(aggregate.aggregateExpressions())) {
            if (overGroups((Expression) column, aggregate).isEmpty()) {
                before.add(column);
                behind.add(column.toAttribute());
            } else {
                behind.add((NamedExpression) ((Expression) column).transformDown(new Before()));
            }
        }
    }

    /** Whether an operator has such calls. */
    static boolean has(LogicalPlan node) {
        return node instanceof Aggregate aggregate
                && CollectionConverters.asJava(aggregate.aggregateExpressions()).stream()
                        .anyMatch(column ->
                                !overGroups((Expression) column, aggregate).isEmpty());
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

    /** The parts of an aggregation's expressions that are computed for each row. */
    static List<Expression> before(Aggregate aggregate) {
        List<Expression> parts = new ArrayList<>(CollectionConverters.asJava(aggregate.groupingExpressions()));
        CollectionConverters.asJava(aggregate.aggregateExpressions())
                .forEach(column -> ((Expression) column).foreach(part -> {
                    if (part instanceof AggregateExpression) {
                        parts.add(part);
                    }
                    return BoxedUnit.UNIT;
                }));
        return parts;
    }

    private static List<PredictCall> overGroups(Expression expression, Aggregate aggregate) {
        if (isComputedBefore(expression, aggregate) || !Calls.in(expression)) {
            return List.of();
        }
        if (expression instanceof PredictCall call) {
            return readsGroups(call, aggregate) ? List.of(call) : List.of();
        }
        return CollectionConverters.asJava(expression.children()).stream()
                .flatMap(child -> overGroups(child, aggregate).stream())
                .toList();
    }

    /** Whether an expression reads nothing but aggregates and what is grouped by. */
    private static boolean readsGroups(Expression expression, Aggregate aggregate) {
        return isComputedBefore(expression, aggregate)
                || (!(expression instanceof Attribute)
                        && CollectionConverters.asJava(expression.children()).stream()
                                .allMatch(child -> readsGroups(child, aggregate)));
    }

    private static boolean isComputedBefore(Expression expression, Aggregate aggregate) {
        return expression instanceof AggregateExpression
                || CollectionConverters.asJava(aggregate.groupingExpressions()).stream()
                        .anyMatch(expression::semanticEquals);
    }

    /** Moves what only the aggregation can compute into it, and leaves a reference. */
    private final class Before extends AbstractPartialFunction<Expression, Expression> {
        @Override
        public boolean isDefinedAt(Expression expression) {
            return isComputedBefore(expression, aggregate);
        }

        @Override
        public Expression apply(Expression expression) {
            Alias alias = Attributes.alias(expression, expression.sql());
            before.add(alias);
            return alias.toAttribute();
        }
    }
}
