/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import scala.Option;
import scala.PartialFunction;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/** Changes logical plans, from Java. */
final class Plans {
    private Plans() {}

    /** Applies a rule to all operators, those above first. It returns the same operator if there is nothing to change. */
    static LogicalPlan transformDown(LogicalPlan plan, UnaryOperator<LogicalPlan> rule) {
        return (LogicalPlan) plan.transformDown(everywhere(rule));
    }

    /** Replaces parts of an operator's expressions, those below first. */
    static LogicalPlan replaced(LogicalPlan node, UnaryOperator<Expression> replacement) {
        return (LogicalPlan) node.transformExpressionsUp(everywhere(replacement));
    }

    /** The expression that a projection computes for a column; the column itself if it hands that on. */
    static Expression computed(Project project, Attribute column) {
        return CollectionConverters.asJava(project.projectList()).stream()
                .filter(computed ->
                        computed instanceof Alias && computed.exprId().equals(column.exprId()))
                .map(computed -> ((Alias) computed).child())
                .findFirst()
                .orElse(column);
    }

    static <T> PartialFunction<T, T> everywhere(UnaryOperator<T> rule) {
        return new AbstractPartialFunction<>() {
            @Override
            public boolean isDefinedAt(T part) {
                return true;
            }

            @Override
            public T apply(T part) {
                return rule.apply(part);
            }
        };
    }

    /** Whether it computes the same for a row whatever other rows there are. Spark's answer would also be of all operators below it. */
    static boolean isDeterministic(Project project) {
        return CollectionConverters.asJava(project.projectList()).stream()
                .allMatch(column -> ((Expression) column).deterministic());
    }

    /** Whether it is a projection, or several above each other, of the one row of a SELECT without FROM. */
    static boolean isOfOneRow(LogicalPlan node) {
        return node instanceof Project project
                && (project.child() instanceof OneRowRelation || isOfOneRow(project.child()));
    }

    /** Whether a number of rows that Spark may know is at most so many; false if it is not known. */
    static boolean isAtMost(long rows, Option<Object> known) {
        return known.isDefined() && ((Number) known.get()).longValue() <= rows;
    }

    /** The first rows of a plan. */
    static LogicalPlan limited(LogicalPlan plan, Expression limit) {
        return new GlobalLimit(limit, new LocalLimit(limit, plan));
    }

    /** The child of an operator with one. */
    static LogicalPlan below(LogicalPlan node) {
        return node.children().apply(0);
    }

    /** Puts an operator with one child above another child. */
    static LogicalPlan above(LogicalPlan child, LogicalPlan node) {
        return (LogicalPlan) node.withNewChildren(Attributes.seq(List.of(child)));
    }
}
