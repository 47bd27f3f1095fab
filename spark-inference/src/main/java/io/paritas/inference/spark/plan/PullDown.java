/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ConditionalExpression;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InputFileBlockLength;
import org.apache.spark.sql.catalyst.expressions.InputFileBlockStart;
import org.apache.spark.sql.catalyst.expressions.InputFileName;
import org.apache.spark.sql.catalyst.expressions.LambdaFunction;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.SparkPartitionID;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Computes below predictions what depends on the file, the partition or the place of a row, such as
 * {@code input_file_name()} and {@code rand(seed)}. Above them batches are read ahead, and coded rows are in other
 * partitions and in another order.
 */
final class PullDown extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return Plans.transformDown(plan, PullDown::pulled);
    }

    /** Returns the same node if there is nothing to move. */
    private static LogicalPlan pulled(LogicalPlan node) {
        if (node instanceof Project project && project.child() instanceof Prediction prediction) {
            Columns columns = new Columns(prediction);
            columns.collectAll(project);
            return columns.isEmpty() ? project : Plans.above(columns.below(), columns.replacedIn(project));
        }
        if (node instanceof Filter filter && filter.child() instanceof Prediction prediction && isSettled(filter)) {
            Columns columns = new Columns(prediction);
            columns.collectSameForAll(filter);
            return columns.isEmpty()
                    ? filter
                    : new Project(
                            Attributes.seq(CollectionConverters.asJava(filter.output())),
                            Plans.above(columns.below(), columns.replacedIn(filter)));
        }
        if (node instanceof Project project
                && project.child() instanceof Filter filter
                && filter.child() instanceof Prediction prediction
                && isSettled(filter)) {
            Columns columns = new Columns(prediction);
            columns.collectSameForAll(project);
            return columns.isEmpty()
                    ? project
                    : Plans.above(Plans.above(columns.below(), filter), columns.replacedIn(project));
        }
        return node;
    }

    /** Whether no condition can go below the prediction any more. It could not go below what is computed there. */
    private static boolean isSettled(Filter filter) {
        return PushDown.pushed(filter) == filter;
    }

    /** Expressions of an operator above a prediction, each with the column that is to hold its value. */
    private static final class Columns {
        private final Prediction prediction;
        private final List<Map.Entry<Expression, Alias>> columns = new ArrayList<>();

        Columns(Prediction prediction) {
            this.prediction = prediction;
        }

        boolean isEmpty() {
            return columns.isEmpty();
        }

        /** Collects from an operator that reads every row of the prediction. */
        void collectAll(LogicalPlan node) {
            CollectionConverters.asJava(node.expressions()).forEach(expression -> collect(expression, true));
        }

        /** Collects from an operator that does not read every row: not what depends on the rows before. */
        void collectSameForAll(LogicalPlan node) {
            CollectionConverters.asJava(node.expressions()).forEach(expression -> collect(expression, false));
        }

        private void collect(Expression expression, boolean always) {
            if (expression.deterministic()) {
                return;
            }
            boolean movable = always || isSameForAll(expression);
            if (movable
                    && !(expression instanceof Alias)
                    && expression.references().subsetOf(prediction.child().outputSet())) {
                if (columnOf(expression) == null) {
                    columns.add(Map.entry(expression, Attributes.alias(expression, expression.sql())));
                }
                return;
            }
            List<Expression> evaluated = alwaysEvaluated(expression);
            for (Expression child : CollectionConverters.asJava(expression.children())) {
                collect(child, always && evaluated.stream().anyMatch(each -> each == child));
            }
        }

        /** The children that are evaluated for every row: a random number that some rows skip has another sequence. */
        private static List<Expression> alwaysEvaluated(Expression expression) {
            if (expression instanceof LambdaFunction) {
                return List.of();
            }
            if (expression instanceof ConditionalExpression conditional) {
                return CollectionConverters.asJava(conditional.alwaysEvaluatedInputs());
            }
            List<Expression> children = CollectionConverters.asJava(expression.children());
            return expression instanceof And || expression instanceof Or ? children.subList(0, 1) : children;
        }

        private static boolean isSameForAll(Expression expression) {
            return expression instanceof InputFileName
                    || expression instanceof InputFileBlockStart
                    || expression instanceof InputFileBlockLength
                    || expression instanceof SparkPartitionID;
        }

        /* By identity: two random numbers are two, even if they look the same. */
        private Attribute columnOf(Expression expression) {
            return columns.stream()
                    .filter(column -> column.getKey() == expression)
                    .map(column -> column.getValue().toAttribute())
                    .findFirst()
                    .orElse(null);
        }

        LogicalPlan replacedIn(LogicalPlan node) {
            return (LogicalPlan) node.transformExpressionsDown(new AbstractPartialFunction<Expression, Expression>() {
                @Override
                public boolean isDefinedAt(Expression expression) {
                    return columnOf(expression) != null;
                }

                @Override
                public Expression apply(Expression expression) {
                    return columnOf(expression);
                }
            });
        }

        /** The prediction, over a projection with the columns, which it keeps. */
        Prediction below() {
            List<NamedExpression> projected = new ArrayList<>(
                    CollectionConverters.asJava(prediction.child().output()));
            columns.forEach(column -> projected.add(column.getValue()));
            return (Prediction)
                    prediction.withNewChildInternal(new Project(Attributes.seq(projected), prediction.child()));
        }
    }
}
