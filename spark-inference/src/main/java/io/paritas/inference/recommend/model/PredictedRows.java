/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.recommend.data.MiniBatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.TaskCompletionListener;

/**
 * The predictions of a task. Input rows have the sample's own columns as a struct, its dense numbers, and its embedding rows as
 * (place, id, row); output rows have the own columns, the logit and the probability.
 */
final class PredictedRows implements Iterator<Row> {
    private static final int BATCH = 256;

    private final Iterator<Row> samples;
    private final DlrmShape shape;
    private final float[] network;
    private final Dlrm dlrm;
    private Iterator<Row> predicted = Collections.emptyIterator();
    private boolean closed;

    /**
     * Must be called in a task. The model is closed after the last prediction, as a task may predict many partitions, or by the end of
     * the task.
     */
    PredictedRows(Iterator<Row> samples, Dlrm dlrm, float[] network) {
        this.samples = samples;
        this.shape = dlrm.shape();
        this.network = network;
        this.dlrm = dlrm;
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) context -> close());
    }

    private void close() {
        if (!closed) {
            closed = true;
            dlrm.close();
        }
    }

    @Override
    public boolean hasNext() {
        if (predicted.hasNext() || samples.hasNext()) {
            return true;
        }
        close();
        return false;
    }

    @Override
    public Row next() {
        if (!predicted.hasNext()) {
            predicted = predict(batch());
        }
        return predicted.next();
    }

    private List<Row> batch() {
        List<Row> batch = new ArrayList<>();
        while (batch.size() < BATCH && samples.hasNext()) {
            batch.add(samples.next());
        }
        return batch;
    }

    private Iterator<Row> predict(List<Row> batch) {
        float[] dense = new float[batch.size() * shape.denseFeatures()];
        int[] starts = new int[batch.size() + 1];
        List<Long> ids = new ArrayList<>();
        Map<Long, List<Float>> rows = new HashMap<>();
        for (int sample = 0; sample < batch.size(); sample++) {
            fill(
                    dense,
                    sample * shape.denseFeatures(),
                    shape.denseFeatures(),
                    numbers(batch.get(sample), 1),
                    "dense numbers");
            for (Row row : batch.get(sample).<Row>getList(2)) {
                require(!row.isNullAt(1), "ids of embedding rows must be numbers, got null");
                require(!row.isNullAt(2), "ids must be those of embedding rows of the model, got " + row.get(1));
                ids.add(row.getLong(1));
                rows.put(row.getLong(1), row.getList(2));
            }
            starts[sample + 1] = ids.size();
        }
        long[] categorical = ids.stream().mapToLong(Long::longValue).toArray();
        MiniBatch minis = new MiniBatch(new float[batch.size()], dense, starts, categorical);
        float[] pulled = new float[minis.ids().length * shape.dimension()];
        for (int i = 0; i < minis.ids().length; i++) {
            fill(
                    pulled,
                    i * shape.dimension(),
                    shape.dimension(),
                    rows.get(minis.ids()[i]),
                    "numbers in an embedding row");
        }
        float[] logits = dlrm.logits(minis, network, pulled);
        List<Row> predictions = new ArrayList<>();
        for (int sample = 0; sample < batch.size(); sample++) {
            predictions.add(predicted(batch.get(sample).getStruct(0), logits[sample]));
        }
        return predictions.iterator();
    }

    private static List<Float> numbers(Row sample, int column) {
        require(!sample.isNullAt(column), "samples must have dense numbers, got null");
        return sample.getList(column);
    }

    private static void fill(float[] into, int offset, int count, List<Float> values, String what) {
        require(values.size() == count, "the model takes " + count + " " + what + ", got " + values.size());
        for (int i = 0; i < count; i++) {
            Float value = values.get(i);
            require(value != null, "the model takes " + count + " " + what + ", got a null");
            into[offset + i] = value;
        }
    }

    private static Row predicted(Row columns, float logit) {
        Stream<Object> own =
                Stream.iterate(0, i -> i < columns.size(), i -> i + 1).map(columns::get);
        return RowFactory.create(Stream.concat(own, Stream.of(logit, (float) (1 / (1 + Math.exp(-logit)))))
                .toArray());
    }

    private static void require(boolean rule, String message) {
        if (!rule) {
            throw new IllegalArgumentException(message);
        }
    }
}
