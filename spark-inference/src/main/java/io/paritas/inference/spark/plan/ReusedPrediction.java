/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CacheManager;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A prediction further below for the same rows, for example when WHERE and SELECT have the same call.
 *
 * @param plan the plan, changed so that it passes the answers on
 * @param result the column of the answers
 */
record ReusedPrediction(LogicalPlan plan, Attribute result) {

    /** Finds the answers to a call over a plan's rows; empty if the plan does not have them. */
    static Optional<ReusedPrediction> find(LogicalPlan plan, PredictCall call) {
        if (plan instanceof Prediction prediction && prediction.answers(call)) {
            return Optional.of(new ReusedPrediction(prediction.reading(call.variables()), prediction.result()));
        }
        if (plan.children().length() != 1
                || !call.references().subsetOf(Plans.below(plan).outputSet())) {
            return Optional.empty();
        }
        return handsOn(plan)
                ? find(Plans.below(plan), call).filter(below -> !isCached(plan)).map(below -> below.through(plan))
                : Optional.empty();
    }

    /** Whether Spark has the rows of a plan in its cache, where it finds them as long as the plan is the same. */
    private static boolean isCached(LogicalPlan plan) {
        SparkSession session = SparkSession.active();
        CacheManager cache = session.sharedState().cacheManager();
        return !cache.isEmpty() && cache.lookupCachedData(session, plan).isDefined();
    }

    private static boolean handsOn(LogicalPlan plan) {
        return plan instanceof Prediction
                || plan instanceof Project
                || plan instanceof Filter
                || plan instanceof Sort
                || plan instanceof SubqueryAlias;
    }

    private ReusedPrediction through(LogicalPlan above) {
        LogicalPlan changed = above;
        if (above instanceof Project project) {
            List<NamedExpression> all = new ArrayList<>(CollectionConverters.asJava(project.projectList()));
            all.add(result);
            changed = project.outputSet().contains(result) ? project : new Project(Attributes.seq(all), plan);
        } else if (above instanceof Prediction prediction) {
            changed = prediction.keeping(List.of(result));
        }
        return new ReusedPrediction(Plans.above(plan, changed), result);
    }
}
