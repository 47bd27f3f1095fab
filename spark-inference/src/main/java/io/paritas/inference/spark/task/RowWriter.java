/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Outcome;
import io.paritas.inference.spark.task.Metrics.Metric;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.jdk.javaapi.CollectionConverters;

/** Writes the rows of batches, with their answers as the last column. Their order is not defined. Not thread-safe. */
final class RowWriter {
    private final boolean withError;
    private final Metrics metrics;
    private final UnsafeProjection projection;
    private final UnsafeRowJoiner joiner;
    private final Map<Outcome, Answer> answered = new EnumMap<>(Outcome.class);

    RowWriter(RowPlan plan, Metrics metrics) {
        /* The setting may have changed since the query was made, the fields of its answers have not. */
        int fields = ((StructType) plan.answer()).length();
        this.withError = fields == 3;
        this.metrics = metrics;
        this.projection = UnsafeProjection.create(new DataType[] {plan.answer()});
        List<Expression> columns = CollectionConverters.asJava(plan.columns());
        StructType kept = new StructType();
        for (int i = 0; i < columns.size(); i++) {
            kept = kept.add(String.valueOf(i), columns.get(i).dataType());
        }
        this.joiner = GenerateUnsafeRowJoiner.create(kept, new StructType().add("answer", plan.answer()));
        for (Outcome outcome : List.of(Outcome.PREDICTED, Outcome.RECONSTRUCTED)) {
            answered.put(outcome, new Answer(row(new float[plan.outputs()], outcome, null), fields));
        }
    }

    /** A row with one answer, in which the values of the prediction are replaced. */
    private static final class Answer {
        private final UnsafeRow row;
        private final Object memory;
        private final long values;

        Answer(UnsafeRow answer, int fields) {
            row = answer.copy();
            UnsafeArrayData prediction = row.getStruct(0, fields).getArray(0);
            memory = prediction.getBaseObject();
            values = prediction.getBaseOffset()
                    + UnsafeArrayData.calculateHeaderPortionInBytes(prediction.numElements());
        }

        UnsafeRow of(Answers answers, int index) {
            answers.copyPrediction(index, memory, values);
            return row;
        }
    }

    /** The rows of a batch, each valid until the next one is taken. */
    Iterator<InternalRow> rows(AnsweredBatch batch) {
        Answers answers = batch.answers();
        PackedRows packed = batch.batch().rows();
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
                PackedRows.Row row = rows.next();
                return joiner.join(row.columns(), answer(row, answers));
            }
        };
    }

    private UnsafeRow answer(PackedRows.Row row, Answers answers) {
        int index = row.index();
        if (index < 0) {
            return row(null, Outcome.UNAVAILABLE, row.reason());
        }
        Outcome outcome = answers.outcome(index);
        return outcome == Outcome.UNAVAILABLE
                ? row(null, outcome, answers.error(index))
                : answered.get(outcome).of(answers, index);
    }

    private UnsafeRow row(float[] prediction, Outcome outcome, String error) {
        Object values = prediction == null ? null : ArrayData.toArrayData(prediction);
        UTF8String label = UTF8String.fromString(outcome.label());
        UTF8String reason = error == null ? null : UTF8String.fromString(error);
        Object[] answer = withError ? new Object[] {values, label, reason} : new Object[] {values, label};
        return projection.apply(new GenericInternalRow(new Object[] {new GenericInternalRow(answer)}));
    }
}
