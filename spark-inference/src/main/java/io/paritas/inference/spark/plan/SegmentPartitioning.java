/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;

/** Rows that name their partition. Spark has a partitioning for them since 4.1; before, what it hashes can be taken as it is. */
final class SegmentPartitioning extends HashPartitioning {
    private static final long serialVersionUID = 1;

    SegmentPartitioning(Attribute segment, int partitions) {
        super(Attributes.seq(List.of(segment)), partitions);
    }

    @Override
    public Expression partitionIdExpression() {
        return expressions().head();
    }
}
