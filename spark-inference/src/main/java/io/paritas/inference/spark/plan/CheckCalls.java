/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Refuses calls where they cannot run, for example in the condition of a join or in a lambda. */
final class CheckCalls extends AbstractFunction1<LogicalPlan, BoxedUnit> {

    @Override
    public BoxedUnit apply(LogicalPlan plan) {
        for (Expression expression : CollectionConverters.asJava(plan.expressions())) {
            expression.foreach(part -> {
                if (part instanceof PredictCall call) {
                    throw Refusal.of(call.prettyName()
                            + " can be called in SELECT, WHERE, GROUP BY and the like, and its"
                            + " input must be columns of one relation; it cannot be called in " + plan.nodeName()
                            + ": call it in a subquery first");
                }
                return BoxedUnit.UNIT;
            });
        }
        CollectionConverters.asJava(plan.children()).forEach(this::apply);
        return BoxedUnit.UNIT;
    }
}
