/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Outcome;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.inference.spark.task.Metrics.Metric;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.jdk.javaapi.CollectionConverters;

/** Writes the rows of batches, with their answers as the last column. Their order is not defined. Not thread-safe. */
final class RowWriter {
    private static final Map<Outcome, UTF8String> LABELS = Arrays.stream(Outcome.values())
            .collect(Collectors.toMap(Function.identity(), outcome -> UTF8String.fromString(outcome.label())));

    private final boolean withError;
    private final Metrics metrics;
    private final UnsafeProjection projection;
    private final JoinedRow joined = new JoinedRow();

    RowWriter(RowPlan plan, Metrics metrics) {
        this.withError = plan.onError() == OnError.COLUMN;
        this.metrics = metrics;
        this.projection = UnsafeProjection.create(Stream.concat(
                        CollectionConverters.asJava(plan.columns()).stream().map(Expression::dataType),
                        Stream.of(plan.answer()))
                .toArray(DataType[]::new));
    }

    /** The rows of a batch, each valid until the next one is taken. */
    Iterator<InternalRow> rows(AnsweredBatch answered) {
        Answers answers = answered.answers();
        PackedRows packed = answered.batch().rows();
        metrics.add(Metric.ROWS, packed.accepted() + packed.rejected());
        metrics.add(Metric.RECONSTRUCTED_ROWS, answers.count(Outcome.RECONSTRUCTED));
        metrics.add(Metric.UNAVAILABLE_ROWS, answers.count(Outcome.UNAVAILABLE) + packed.rejected());
        Iterator<PackedRows.Row> rows = packed.rows();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public InternalRow next() {
                return row(rows.next(), answers);
            }
        };
    }

    private InternalRow row(PackedRows.Row row, Answers answers) {
        int index = row.index();
        return index < 0
                ? row(row.columns(), null, Outcome.UNAVAILABLE, row.reason())
                : row(row.columns(), answers.prediction(index), answers.outcome(index), answers.error(index));
    }

    private InternalRow row(UnsafeRow columns, float[] prediction, Outcome outcome, String error) {
        Object values = prediction == null ? null : ArrayData.toArrayData(prediction);
        UTF8String reason = error == null ? null : UTF8String.fromString(error);
        UTF8String label = LABELS.get(outcome);
        Object[] answer = withError ? new Object[] {values, label, reason} : new Object[] {values, label};
        InternalRow struct = new GenericInternalRow(answer);
        return projection.apply(joined.apply(columns, new GenericInternalRow(new Object[] {struct})));
    }
}
