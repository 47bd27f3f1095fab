/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.SparkSetting;
import io.paritas.inference.spark.task.Attributes;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Plans predictions, and says why one is not coded. */
final class PredictionStrategy extends SparkStrategy {
    private static final System.Logger LOG = System.getLogger(PredictionStrategy.class.getName());

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        if (!(plan instanceof Prediction prediction)) {
            return Attributes.seq(List.of());
        }
        Prepared prepared = Prepared.of(prediction.call(), CollectionConverters.asJava(prediction.inputs()));
        explain(prediction.call(), prepared);
        return Attributes.seq(List.of(new PredictExec(
                planLater(prediction.child()),
                prediction.call(),
                prediction.inputs(),
                Attributes.seq(prediction.columns()),
                prediction.result(),
                prepared)));
    }

    private static void explain(Call call, Prepared prepared) {
        Explain wanted = prepared.options().word(SparkSetting.EXPLAIN, Explain.class);
        String named = call.kind().function() + "('" + call.model() + "')";
        if (wanted != Explain.NONE) {
            prepared.uncoded()
                    .ifPresent(reason ->
                            LOG.log(System.Logger.Level.WARNING, "Paritas: {0} is not coded: {1}", named, reason));
        }
        if (wanted == Explain.ALL) {
            prepared.parity()
                    .ifPresent(parity -> LOG.log(
                            System.Logger.Level.INFO,
                            "Paritas: {0} is coded: any {1} of {2} tasks of a stripe suffice",
                            named,
                            parity.plan().code().k(),
                            parity.plan().code().k() + Prepared.r(parity, prepared.options())));
        }
    }
}
