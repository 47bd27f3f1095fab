/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.optimizer.RewritePredicateSubquery$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Extracts the calls that {@link ExtractCalls} has left: those of joins, and of correlated subqueries once the optimizer has made
 * joins of them. Of EXISTS and IN Spark makes joins only at its end, where no rule of others follows; those with a call in their
 * condition are rewritten here.
 */
final class ExtractLateCalls extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        LogicalPlan joined = hasLateCalls(plan) ? RewritePredicateSubquery$.MODULE$.apply(plan) : plan;
        return ExtractCalls.extracted(joined, node -> true);
    }

    /** Whether the condition between a subquery and the query around it has a call. */
    private static boolean hasLateCalls(LogicalPlan plan) {
        return Calls.has(plan, part -> part instanceof SubqueryExpression && Calls.in(part));
    }
}
