/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.runtime.AbstractPartialFunction;

/** Drops columns that no operator above reads, often the images, so that they do not cross the exchange. */
final class PruneColumns extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return (LogicalPlan) plan.transformDown(new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
            @Override
            public boolean isDefinedAt(LogicalPlan node) {
                return node instanceof Project project
                        && pruned(project.child(), project.references()) != project.child();
            }

            @Override
            public LogicalPlan apply(LogicalPlan node) {
                Project project = (Project) node;
                return with(project, pruned(project.child(), project.references()));
            }
        });
    }

    /**
     * Returns the same plan if there is nothing to drop. Looks below a filter, because Spark removes projections that
     * it finds there.
     */
    private static LogicalPlan pruned(LogicalPlan plan, AttributeSet wanted) {
        if (plan instanceof Filter filter && filter.child() instanceof Prediction) {
            LogicalPlan child = pruned(filter.child(), wanted.$plus$plus(filter.references()));
            return child == filter.child() ? filter : with(filter, child);
        }
        if (plan instanceof Prediction prediction) {
            List<Attribute> kept =
                    prediction.columns().stream().filter(wanted::contains).toList();
            return kept.size() == prediction.columns().size() ? prediction : prediction.withColumns(kept);
        }
        return plan;
    }

    private static LogicalPlan with(LogicalPlan node, LogicalPlan child) {
        return (LogicalPlan) node.withNewChildren(Attributes.seq(List.of(child)));
    }
}
