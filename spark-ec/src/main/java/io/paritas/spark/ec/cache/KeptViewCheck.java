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

/**
 * Refuses statements that change the rows of a kept view; Spark's own messages would not say why. A statement that inserts into several
 * tables is a plan with a node for each. Stateless.
 */
public final class KeptViewCheck extends AbstractFunction1<LogicalPlan, BoxedUnit> {
    @Override
    public BoxedUnit apply(LogicalPlan plan) {
        plan.foreach(node -> {
            refuseChange(node);
            return BoxedUnit.UNIT;
        });
        return BoxedUnit.UNIT;
    }

    private static void refuseChange(LogicalPlan node) {
        target(node)
                .map(ErasureCodedDatasets::below)
                .flatMap(ErasureCodedDatasets::store)
                .ifPresent(store -> {
                    throw new IllegalArgumentException("kept rows must stay as they are, got a statement that changes"
                            + " them: CALL paritas.persist replaces the view with mode => 'overwrite'");
                });
    }

    /** The table that a node changes. */
    private static Optional<LogicalPlan> target(LogicalPlan node) {
        if (node instanceof InsertIntoStatement insert) {
            return Optional.of(insert.table());
        }
        return node instanceof DeleteFromTable || node instanceof UpdateTable || node instanceof MergeIntoTable
                ? Optional.of(node.children().head())
                : Optional.empty();
    }
}
