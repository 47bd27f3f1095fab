/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Moves limits, samples, and conditions that do not read the answers, below predictions, so that unwanted rows are not
 * predicted. A prediction returns one row for each that it reads. Random samples and conditions see the rows that they
 * would see without a prediction.
 */
final class PushDown extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return Plans.transformDown(plan, node -> pushed(FirstRows.sorted(node)));
    }

    /** Returns the same node if there is nothing to move. */
    static LogicalPlan pushed(LogicalPlan node) {
        if (node instanceof Filter filter && filter.child() instanceof Prediction prediction) {
            return filter(filter, prediction);
        }
        if (node instanceof LocalLimit limit) {
            LogicalPlan child = limited(limit.child(), limit);
            return child == limit.child() ? limit : Plans.above(child, limit);
        }
        if (node instanceof Sample sample) {
            return sampled(sample.child(), sample);
        }
        return node;
    }

    private static LogicalPlan filter(Filter filter, Prediction prediction) {
        List<Expression> below = new ArrayList<>();
        List<Expression> above = new ArrayList<>();
        conditions(filter.condition()).forEach(condition -> {
            boolean sameRows = condition.deterministic() || above.isEmpty();
            boolean before = sameRows
                    && condition.references().subsetOf(prediction.child().outputSet());
            (before ? below : above).add(condition);
        });
        if (below.isEmpty()) {
            return filter;
        }
        LogicalPlan filtered = prediction.withNewChildInternal(new Filter(all(below), prediction.child()));
        return above.isEmpty() ? filtered : new Filter(all(above), filtered);
    }

    private static Stream<Expression> conditions(Expression condition) {
        return condition instanceof And and
                ? Stream.concat(conditions(and.left()), conditions(and.right()))
                : Stream.of(condition);
    }

    private static Expression all(List<Expression> conditions) {
        return conditions.stream().reduce(And::new).orElseThrow();
    }

    private static LogicalPlan limited(LogicalPlan plan, LocalLimit limit) {
        if (plan instanceof Project project && project.child() instanceof Prediction prediction) {
            LogicalPlan child = limited(prediction, limit);
            return child == prediction ? project : Plans.above(child, project);
        }
        return plan instanceof Prediction prediction && isMore(prediction.child(), limit)
                ? prediction.withNewChildInternal(new LocalLimit(limit.limitExpr(), prediction.child()))
                : plan;
    }

    /** Returns the same sample if it cannot be taken below the prediction. */
    private static LogicalPlan sampled(LogicalPlan plan, Sample sample) {
        if (plan instanceof Prediction prediction) {
            return prediction.withNewChildInternal(Plans.above(prediction.child(), sample));
        }
        if (plan instanceof Project project
                && project.child() instanceof Prediction prediction
                && Plans.isDeterministic(project)) {
            return Plans.above(sampled(prediction, sample), project);
        }
        return sample;
    }

    private static boolean isMore(LogicalPlan plan, LocalLimit limit) {
        return limit.limitExpr() instanceof Literal rows
                && !Plans.isAtMost(((Number) rows.value()).longValue(), plan.maxRowsPerPartition());
    }
}
