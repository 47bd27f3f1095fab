/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.runtime.AbstractPartialFunction;

/** Keeps only the columns that are wanted afterwards: the others, often the images, need not cross the exchange as well. */
final class PruneColumns extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return (LogicalPlan) plan.transformDown(new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
            @Override
            public boolean isDefinedAt(LogicalPlan node) {
                return node instanceof Project project
                        && project.child() instanceof Prediction prediction
                        && wanted(project, prediction).size()
                                < prediction.columns().size();
            }

            @Override
            public LogicalPlan apply(LogicalPlan node) {
                Project project = (Project) node;
                Prediction prediction = (Prediction) project.child();
                return new Project(project.projectList(), prediction.withColumns(wanted(project, prediction)));
            }
        });
    }

    private static List<Attribute> wanted(Project project, Prediction prediction) {
        return prediction.columns().stream()
                .filter(column -> project.references().contains(column))
                .toList();
    }
}
