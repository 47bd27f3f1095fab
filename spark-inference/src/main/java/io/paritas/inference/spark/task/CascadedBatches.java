/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Outcome;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.spark.task.Metrics.Metric;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.apache.spark.TaskContext;

/**
 * Batches with the answers of a small model where it is sure, and batches of the other rows, which are gathered until they fill
 * one, with the answers of a large model. What the small model fails on goes to the large one, too.
 */
final class CascadedBatches implements Iterator<AnsweredBatch>, AutoCloseable {
    private final Iterator<AnsweredBatch> small;
    private final GatheredRows unsure;
    private final Iterator<AnsweredBatch> large;
    private final double threshold;
    private final int fields;
    private final Metrics metrics;
    private final WaitingRows kept;
    private final WaitingRows rejected;

    /**
     * Creates a cascade.
     *
     * @param small batches whose inputs stay valid, with the small model's answers
     * @param large makes the large model answer batches
     * @param threshold least probability of the small model's class
     */
    CascadedBatches(
            Iterator<AnsweredBatch> small,
            Function<Iterator<Batch>, Iterator<AnsweredBatch>> large,
            double threshold,
            RowPlan plan,
            Metrics metrics,
            TaskContext task) {
        this.small = small;
        this.unsure = new GatheredRows(plan, task);
        this.large = large.apply(unsure);
        this.threshold = threshold;
        this.fields = plan.columns().length();
        this.metrics = metrics;
        this.kept = new WaitingRows(task);
        this.rejected = new WaitingRows(task);
    }

    @Override
    public boolean hasNext() {
        if (!small.hasNext()) {
            unsure.end();
        }
        return small.hasNext() || large.hasNext();
    }

    @Override
    public AnsweredBatch next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        if (large.hasNext()) {
            AnsweredBatch answered = large.next();
            metrics.add(Metric.LARGE_ROWS, answered.batch().size());
            metrics.add(Metric.LARGE_BATCHES, 1);
            return answered;
        }
        return sure(small.next());
    }

    /** Gives the memory of rows back. */
    @Override
    public void close() {
        unsure.close();
        kept.close();
        rejected.close();
    }

    /** The rows of a batch that the small model is sure of, and those that are no input. Gathers the others. */
    private AnsweredBatch sure(AnsweredBatch answered) {
        Answers answers = answered.answers();
        List<float[]> predictions = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        int size = answers.rows() == 0 ? 0 : answered.batch().inputs().remaining() / answers.rows();
        Iterator<PackedRows.Row> rows = answered.batch().rows().rows();
        while (rows.hasNext()) {
            PackedRows.Row row = rows.next();
            if (row.index() < 0) {
                rejected.add(row.columns(), 0);
                reasons.add(row.reason());
                continue;
            }
            float[] prediction = answers.prediction(row.index());
            if (prediction != null && Cascade.confidence(prediction) >= threshold) {
                kept.add(row.columns(), 0);
                predictions.add(prediction);
            } else {
                unsure.add(row.columns(), answered.batch().inputs().slice(row.index() * size, size));
            }
        }
        metrics.add(Metric.SMALL_ROWS, predictions.size());
        PackedRows packed = new PackedRows(PackedRows.pack(kept, predictions.size(), rejected, reasons), fields);
        kept.clear();
        rejected.clear();
        Batch batch = answered.batch();
        return new AnsweredBatch(
                new Batch(batch.group(), batch.slot(), null, packed, batch.inputs()), predicted(predictions));
    }

    private static Answers predicted(List<float[]> predictions) {
        Answers answers = new Answers(predictions.size(), predictions.isEmpty() ? 1 : predictions.get(0).length);
        for (int row = 0; row < predictions.size(); row++) {
            answers.set(row, predictions.get(row), Outcome.PREDICTED);
        }
        return answers;
    }
}
