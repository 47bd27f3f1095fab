/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.io.Serializable;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction1;

/**
 * The rows that a prediction reads. Where they come straight from columns, as from Parquet files and from Spark's cache, they are
 * read there: Spark need not write them as rows first.
 */
final class InputRows {
    private InputRows() {}

    /** The rows of a plan, each valid until the next one is taken. */
    static RDD<InternalRow> of(SparkPlan plan) {
        return columnar(plan)
                .map(toRows -> toRows.child()
                        .executeColumnar()
                        .mapPartitionsInternal(
                                new Rows(metric(toRows, "numInputBatches"), metric(toRows, "numOutputRows")),
                                true,
                                ClassTag$.MODULE$.<InternalRow>apply(InternalRow.class)))
                .orElseGet(plan::execute);
    }

    /** Says in a plan why its columns on GPUs become rows; empty if they do not. The RAPIDS accelerator marks them by this operator. */
    static String explanation(SparkPlan plan) {
        return plan.nodeName().equals("GpuColumnarToRow")
                ? ", RAPIDS copies its columns from the GPU to rows: predictions do not read them there"
                : "";
    }

    private static Optional<ColumnarToRowExec> columnar(SparkPlan plan) {
        SparkPlan inner = plan instanceof WholeStageCodegenExec stage ? stage.child() : plan;
        return inner instanceof ColumnarToRowExec toRows ? Optional.of(toRows) : Optional.empty();
    }

    private static SQLMetric metric(SparkPlan plan, String name) {
        return plan.metrics().apply(name);
    }

    private static final class Rows
            extends AbstractFunction1<scala.collection.Iterator<ColumnarBatch>, scala.collection.Iterator<InternalRow>>
            implements Serializable {
        private static final long serialVersionUID = 1;

        private final SQLMetric batches;
        private final SQLMetric rows;

        Rows(SQLMetric batches, SQLMetric rows) {
            this.batches = batches;
            this.rows = rows;
        }

        @Override
        public scala.collection.Iterator<InternalRow> apply(scala.collection.Iterator<ColumnarBatch> columns) {
            return CollectionConverters.asScala(new RowsOfBatches(CollectionConverters.asJava(columns), this));
        }
    }

    private static final class RowsOfBatches implements Iterator<InternalRow> {
        private final Iterator<ColumnarBatch> batches;
        private final Rows counted;
        private Optional<ColumnarBatch> batch = Optional.empty();
        private Iterator<InternalRow> rows = Collections.emptyIterator();

        RowsOfBatches(Iterator<ColumnarBatch> batches, Rows counted) {
            this.batches = batches;
            this.counted = counted;
        }

        @Override
        public boolean hasNext() {
            while (!rows.hasNext()) {
                batch.ifPresent(ColumnarBatch::closeIfFreeable);
                batch = Optional.empty();
                if (!batches.hasNext()) {
                    return false;
                }
                ColumnarBatch next = batches.next();
                counted.batches.add(1);
                counted.rows.add(next.numRows());
                batch = Optional.of(next);
                rows = next.rowIterator();
            }
            return true;
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return rows.next();
        }
    }
}
