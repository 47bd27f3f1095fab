/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.cache;

import java.util.Optional;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable;
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable;
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Refuses statements that change the rows of a kept view; Spark's own messages would not say why. Stateless. */
public final class KeptViewCheck extends AbstractFunction1<LogicalPlan, BoxedUnit> {
    @Override
    public BoxedUnit apply(LogicalPlan plan) {
        target(plan)
                .map(ErasureCodedDatasets::below)
                .flatMap(ErasureCodedDatasets::store)
                .ifPresent(store -> {
                    throw new IllegalArgumentException("kept rows must stay as they are, got a statement that changes"
                            + " them: CALL paritas.persist replaces the view with mode => 'overwrite'");
                });
        return BoxedUnit.UNIT;
    }

    /** The table that a statement changes. */
    private static Optional<LogicalPlan> target(LogicalPlan plan) {
        if (plan instanceof InsertIntoStatement insert) {
            return Optional.of(insert.table());
        }
        return plan instanceof DeleteFromTable || plan instanceof UpdateTable || plan instanceof MergeIntoTable
                ? Optional.of(plan.children().head())
                : Optional.empty();
    }
}
