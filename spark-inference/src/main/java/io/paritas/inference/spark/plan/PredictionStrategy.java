/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.Explain;
import io.paritas.inference.spark.task.Attributes;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/** Plans predictions, and logs why a call is not coded. */
final class PredictionStrategy extends SparkStrategy {
    private static final Logger LOG = LoggerFactory.getLogger(PredictionStrategy.class);

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        CheckCalls.evaluated(plan).forEach(expression -> refuseCalls(expression, plan));
        if (!(plan instanceof Prediction prediction)) {
            return Attributes.seq(List.of());
        }
        ResolvedCall resolved = ResolvedCall.of(prediction.call(), CollectionConverters.asJava(prediction.inputs()));
        explain(prediction.call(), resolved);
        return Attributes.seq(List.of(new PredictExec(
                planLater(prediction.child()),
                prediction.call(),
                prediction.inputs(),
                Attributes.seq(prediction.columns()),
                prediction.result(),
                resolved)));
    }

    /** Calls of correlated subqueries are extracted by the optimizer, so they can be refused only here. */
    private static void refuseCalls(Expression expression, LogicalPlan plan) {
        expression.foreach(part -> {
            if (part instanceof PredictCall call) {
                throw CheckCalls.refusal(call, plan);
            }
            return BoxedUnit.UNIT;
        });
    }

    private static void explain(Call call, ResolvedCall resolved) {
        Explain wanted = resolved.options().get(CodedSettings.EXPLAIN);
        String named = call.kind().function() + "('" + call.model() + "')";
        if (wanted != Explain.NONE) {
            resolved.uncoded().ifPresent(reason -> LOG.warn("Paritas: {} is not coded: {}", named, reason));
        }
        if (wanted == Explain.ALL) {
            resolved.parity()
                    .ifPresent(parity -> LOG.info(
                            "Paritas: {} is coded: any {} of {} tasks of a stripe suffice",
                            named,
                            parity.plan().k(),
                            parity.plan().k() + ResolvedCall.r(parity, resolved.options())));
        }
    }
}
