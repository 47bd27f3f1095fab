/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Refuses calls where they cannot run, for example on the elements of an array, and says what to write instead. */
final class CheckCalls extends AbstractFunction1<LogicalPlan, BoxedUnit> {

    @Override
    public BoxedUnit apply(LogicalPlan plan) {
        checkPlan(plan, Calls.isCorrelated(plan));
        return BoxedUnit.UNIT;
    }

    private static void checkPlan(LogicalPlan plan, boolean correlated) {
        boolean late = correlated || Plans.isOfOneRow(plan);
        for (Expression expression : evaluated(plan)) {
            expression.foreach(part -> {
                if (part instanceof PredictCall call
                        && (Calls.readsElement(call) || !(late || JoinCalls.isPossible(call, plan)))) {
                    throw refusal(call, plan);
                }
                return BoxedUnit.UNIT;
            });
        }
        CollectionConverters.asJava(plan.children()).forEach(child -> checkPlan(child, correlated));
    }

    /**
     * The expressions that an operator evaluates. That of DELETE, UPDATE and MERGE has its condition in the query below; its own copy
     * tells the table only which files have such rows.
     */
    static List<Expression> evaluated(LogicalPlan plan) {
        return plan instanceof RowLevelWrite ? List.of() : CollectionConverters.asJava(plan.expressions());
    }

    /** The refusal of a call that is left in an operator. */
    static RuntimeException refusal(PredictCall call, LogicalPlan operator) {
        String function = call.prettyName();
        if (Calls.readsElement(call)) {
            return Refusal.of(
                    function + " cannot be called on the elements of an array: explode the array in a subquery,"
                            + " predict there, and collect the answers with collect_list and GROUP BY");
        }
        Optional<JoinType> join = JoinCalls.type(operator);
        if (join.isPresent()) {
            return Refusal.of(function + " cannot be called on columns of both sides in the condition of a "
                    + join.get().sql() + " join: call it in a subquery over an inner join, and join with that");
        }
        return Refusal.of(function
                + " can be called in SELECT, WHERE, GROUP BY and the like, and its input must be columns of the same"
                + " rows; it cannot be called in " + operator.nodeName() + ": call it in a subquery first");
    }
}
