/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;

/** Drops columns that no operator above reads, often the images, so that they do not cross the exchange. */
final class PruneColumns extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return Plans.transformDown(plan, PruneColumns::pruned);
    }

    private static LogicalPlan pruned(LogicalPlan node) {
        if (node instanceof Project project) {
            LogicalPlan child = pruned(project.child(), project.references());
            return child == project.child() ? project : Plans.above(child, project);
        }
        return node;
    }

    /**
     * Returns the same plan if there is nothing to drop. Looks below a filter, because Spark removes projections that
     * it finds there.
     */
    private static LogicalPlan pruned(LogicalPlan plan, AttributeSet wanted) {
        if (plan instanceof Filter filter && filter.child() instanceof Prediction) {
            LogicalPlan child = pruned(filter.child(), wanted.$plus$plus(filter.references()));
            return child == filter.child() ? filter : Plans.above(child, filter);
        }
        if (plan instanceof Prediction prediction) {
            List<Attribute> kept =
                    prediction.columns().stream().filter(wanted::contains).toList();
            return kept.size() == prediction.columns().size() ? prediction : prediction.withColumns(kept);
        }
        return plan;
    }
}
