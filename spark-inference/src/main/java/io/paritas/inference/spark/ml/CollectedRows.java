/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.data.Checksum;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.spark.input.InputFormat;
import io.paritas.inference.spark.input.RowException;
import io.paritas.inference.spark.input.RowReader;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;

/**
 * Rows of a dataset in the memory of the driver, as the inputs of a model.
 *
 * @param labels the class of each row; empty without a column of labels
 */
record CollectedRows(RowReader reader, List<Integer> shape, List<byte[]> rows, Optional<int[]> labels)
        implements Inputs {

    /** The rows to collect, and how many at most. */
    record Source(Dataset<?> dataset, List<String> inputs, Optional<String> label, int maxRows) {}

    /**
     * Collects all rows.
     *
     * @param classes number of classes, one for each output of the model
     * @throws IllegalArgumentException if there are too many rows, or a row is not an input of the model or has no
     *     class
     */
    static CollectedRows of(Source source, TensorSpec model, InputFormat format, int classes) {
        Dataset<Row> selected = source.dataset().select(columns(source));
        int inputs = source.inputs().size();
        List<DataType> types = Arrays.stream(selected.schema().fields())
                .limit(inputs)
                .map(StructField::dataType)
                .toList();
        RowReader reader = RowReader.of(model, format, source.inputs(), types);
        InternalRow[] collected = take(selected, source.maxRows());
        List<byte[]> rows = new ArrayList<>();
        int[] labels = new int[source.label().isPresent() ? collected.length : 0];
        for (int i = 0; i < collected.length; i++) {
            rows.add(read(reader, collected[i], i));
            if (source.label().isPresent()) {
                labels[i] = label(collected[i], inputs, source.label().get(), classes);
            }
        }
        CollectedRows all =
                new CollectedRows(reader, model.shape(), rows, source.label().map(column -> labels));
        all.checkNumbers();
        return all;
    }

    private static Column[] columns(Source source) {
        List<Column> columns = new ArrayList<>();
        source.inputs().forEach(name -> columns.add(InferenceModel.quoted(name)));
        source.label().ifPresent(name -> columns.add(InferenceModel.quoted(name).cast("double")));
        return columns.toArray(Column[]::new);
    }

    private static InternalRow[] take(Dataset<Row> selected, int maxRows) {
        InternalRow[] rows = selected.queryExecution().executedPlan().executeTake(maxRows + 1);
        if (rows.length > maxRows) {
            throw new IllegalArgumentException("a training in the driver takes maxRows = " + maxRows
                    + " rows at most, and the dataset has more: sample it (dataset.sample, dataset.limit), or raise"
                    + " maxRows and give the driver memory for them");
        }
        return rows;
    }

    private static byte[] read(RowReader reader, InternalRow row, int index) {
        byte[] bytes = new byte[reader.rowBytes()];
        try {
            reader.read(row, ByteBuffer.wrap(bytes));
        } catch (RowException e) {
            throw new IllegalArgumentException(
                    "every row must be an input of the model, row " + index + " is not: " + e.getMessage()
                            + "; leave such rows out",
                    e);
        }
        return bytes;
    }

    private static int label(InternalRow row, int column, String name, int classes) {
        double label = row.isNullAt(column) ? Double.NaN : row.getDouble(column);
        if (!(label >= 0 && label < classes && label == Math.rint(label))) {
            throw new IllegalArgumentException("a label must be the index of one of the model's " + classes
                    + " outputs, column '" + name + "' has "
                    + (row.isNullAt(column) ? "null" : label) + ": number the classes from 0");
        }
        return (int) label;
    }

    private void checkNumbers() {
        float[] values = new float[size()];
        for (int row = 0; row < count(); row++) {
            copy(row, values, 0);
            for (float value : values) {
                if (!Float.isFinite(value)) {
                    throw new IllegalArgumentException("every value of an input must be a finite number, row " + row
                            + " has " + value + ": leave such rows out");
                }
            }
        }
    }

    /** A checksum of the rows and their labels, in their order. */
    String checksum() {
        return Checksum.of(rows, labels.orElse(new int[0]));
    }

    @Override
    public int count() {
        return rows.size();
    }

    @Override
    public void copy(int index, float[] into, int offset) {
        reader.scaling()
                .apply(
                        reader.element(),
                        ByteBuffer.wrap(rows.get(index)),
                        1,
                        1,
                        FloatBuffer.wrap(into, offset, size()));
    }
}
