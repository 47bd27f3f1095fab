/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.runtime.AbstractPartialFunction;

/** Changes logical plans, from Java. */
final class Plans {
    private Plans() {}

    /** Applies a rule to all operators, those above first. It returns the same operator if there is nothing to change. */
    static LogicalPlan transformDown(LogicalPlan plan, UnaryOperator<LogicalPlan> rule) {
        return (LogicalPlan) plan.transformDown(new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
            @Override
            public boolean isDefinedAt(LogicalPlan node) {
                return true;
            }

            @Override
            public LogicalPlan apply(LogicalPlan node) {
                return rule.apply(node);
            }
        });
    }

    /** Replaces parts of an operator's expressions, those below first. */
    static LogicalPlan replaced(LogicalPlan node, UnaryOperator<Expression> replacement) {
        return (LogicalPlan) node.transformExpressionsUp(new AbstractPartialFunction<Expression, Expression>() {
            @Override
            public boolean isDefinedAt(Expression part) {
                return true;
            }

            @Override
            public Expression apply(Expression part) {
                return replacement.apply(part);
            }
        });
    }

    /** Puts an operator with one child above another child. */
    static LogicalPlan above(LogicalPlan child, LogicalPlan node) {
        return (LogicalPlan) node.withNewChildren(Attributes.seq(List.of(child)));
    }
}
