/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.util.function.Predicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.LambdaFunction;
import org.apache.spark.sql.catalyst.expressions.NamedLambdaVariable;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.jdk.javaapi.CollectionConverters;

/** What is in expressions and plans. */
final class Calls {
    private Calls() {}

    static boolean has(Expression expression, Predicate<Expression> wanted) {
        return (boolean) expression.exists(wanted::test);
    }

    /** Those of subqueries' plans do not count. */
    static boolean has(LogicalPlan plan, Predicate<Expression> wanted) {
        return (boolean) plan.exists(node -> CollectionConverters.asJava(node.expressions()).stream()
                .anyMatch(expression -> has(expression, wanted)));
    }

    static boolean in(Expression expression) {
        return has(expression, part -> part instanceof PredictCall);
    }

    /** Whether a plan is that of a subquery that reads columns of the query around it. */
    static boolean isCorrelated(LogicalPlan plan) {
        return has(plan, part -> part instanceof OuterReference);
    }

    /** Whether an expression reads the variable of a lambda around it. */
    static boolean readsElement(Expression expression) {
        return has(expression, part -> part instanceof NamedLambdaVariable variable && !binds(expression, variable));
    }

    private static boolean binds(Expression expression, NamedLambdaVariable variable) {
        return has(
                expression,
                part -> part instanceof LambdaFunction lambda
                        && CollectionConverters.asJava(lambda.arguments()).stream()
                                .anyMatch(argument -> argument.exprId().equals(variable.exprId())));
    }
}
