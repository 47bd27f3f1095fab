/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import org.apache.spark.QueryContext;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Refuses calls that stand where they cannot be made: in the condition of a join, for example, or in a lambda. */
final class CheckCalls extends AbstractFunction1<LogicalPlan, BoxedUnit> {

    @Override
    public BoxedUnit apply(LogicalPlan plan) {
        for (Expression expression : CollectionConverters.asJava(plan.expressions())) {
            expression.foreach(part -> {
                if (part instanceof PredictCall call) {
                    CheckCalls.<RuntimeException>refuse(call.prettyName()
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

    /** Spark's exception is a checked one, which its own interfaces do not declare. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> void refuse(String message) throws E {
        throw (E) new AnalysisException(
                message,
                Option.empty(),
                Option.empty(),
                Option.empty(),
                Option.empty(),
                Map$.MODULE$.<String, String>empty(),
                new QueryContext[0]);
    }
}
