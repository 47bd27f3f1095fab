/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
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

    /**
     * Finds the answers to a call over a plan's rows, or makes them below a join whose condition needs them, too; empty if the plan
     * neither has nor needs them.
     */
    static Optional<ReusedPrediction> find(LogicalPlan plan, PredictCall call) {
        if (plan instanceof Prediction prediction && prediction.answers(call)) {
            return Optional.of(new ReusedPrediction(prediction.reading(call.variables()), prediction.result()));
        }
        PredictCall same = plan instanceof Project project ? renamed(call, project) : call;
        for (LogicalPlan below : handedOn(plan)) {
            Optional<ReusedPrediction> found =
                    same.references().subsetOf(below.outputSet()) ? find(below, same) : Optional.empty();
            if (found.isEmpty() && plan instanceof Join join && JoinCalls.has(join, below, same)) {
                // The condition's own call is extracted later, and finds this one.
                found = Optional.of(ExtractCalls.predict(below, same));
            }
            if (found.isPresent()
                    && !isCached(plan)
                    && !isBeside(plan, below, found.get().result())) {
                return found.map(answered -> answered.through(plan, below));
            }
        }
        return Optional.empty();
    }

    /** The call with the names that its columns have below a projection. Each view gives them new ones, by casts to what they are. */
    private static PredictCall renamed(PredictCall call, Project project) {
        return (PredictCall) call.transformUp(Plans.<Expression>everywhere(
                part -> part instanceof Attribute column && renamed(column, project) instanceof Attribute below
                        ? below
                        : part));
    }

    private static Expression renamed(Attribute column, Project project) {
        Expression computed = Plans.computed(project, column);
        return computed instanceof Cast cast
                        && DataTypeUtils.sameType(cast.dataType(), cast.child().dataType())
                ? cast.child()
                : computed;
    }

    /** Whether another side has the column, too: copies of one analysed plan, as of a Dataset joined with itself, have one for both. */
    private static boolean isBeside(LogicalPlan plan, LogicalPlan below, Attribute result) {
        return CollectionConverters.asJava(plan.children()).stream()
                .anyMatch(side -> side != below && side.outputSet().contains(result));
    }

    /** Whether Spark has the rows of a plan in its cache, where it finds them as long as the plan is the same. */
    private static boolean isCached(LogicalPlan plan) {
        SparkSession session = SparkSession.active();
        CacheManager cache = session.sharedState().cacheManager();
        return !cache.isEmpty() && cache.lookupCachedData(session, plan).isDefined();
    }

    /** The children whose rows a plan hands on as they are: with what it adds, some of them, or some several times. */
    private static List<LogicalPlan> handedOn(LogicalPlan plan) {
        if (plan instanceof Join join) {
            return JoinCalls.handedOn(join);
        }
        boolean handsOn = plan instanceof Prediction
                || plan instanceof Project
                || plan instanceof Filter
                || plan instanceof Sort
                || plan instanceof SubqueryAlias
                || plan instanceof View;
        return handsOn ? List.of(Plans.below(plan)) : List.of();
    }

    private ReusedPrediction through(LogicalPlan above, LogicalPlan below) {
        LogicalPlan changed = above;
        if (above instanceof Project project && !project.outputSet().contains(result)) {
            List<NamedExpression> all = new ArrayList<>(CollectionConverters.asJava(project.projectList()));
            all.add(result);
            changed = new Project(Attributes.seq(all), below);
            changed.copyTagsFrom(project); // columns that USING hides
        } else if (above instanceof Prediction prediction) {
            changed = prediction.keeping(List.of(result));
        }
        List<LogicalPlan> children = new ArrayList<>(CollectionConverters.asJava(changed.children()));
        children.replaceAll(child -> child == below ? plan : child);
        return new ReusedPrediction((LogicalPlan) changed.withNewChildren(Attributes.seq(children)), result);
    }
}
