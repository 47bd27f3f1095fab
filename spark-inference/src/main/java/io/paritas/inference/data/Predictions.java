/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import java.nio.FloatBuffer;

/**
 * A network's predictions: a row of float32 values for each input, for a classifier usually logits. Immutable.
 */
@PublicApi
public final class Predictions {
    /** A softmax of a thousand float32 values sums to one up to this. */
    private static final double SUM_TOLERANCE = 1e-3;

    private final float[] values;
    private final int size;

    private Predictions(float[] values, int size) {
        this.values = values;
        this.size = size;
    }

    /**
     * Predictions in an array, such as logged ones. The array is not copied.
     *
     * @param rows a whole number of rows
     * @param size number of values of a row
     * @throws IllegalArgumentException if the last row is not complete, or a value is not finite
     */
    public static Predictions of(float[] rows, int size) {
        if (size < 1 || rows.length % size != 0) {
            throw new IllegalArgumentException(
                    "predictions must be whole rows of " + size + " values, got " + rows.length + " values");
        }
        Predictions predictions = new Predictions(rows, size);
        predictions.requireFinite();
        return predictions;
    }

    /** The predictions of a model for all inputs, made in batches. */
    public static Predictions of(Model model, Inputs inputs) {
        return of(model, inputs, 1);
    }

    /**
     * The predictions of a model for all inputs, made in batches of whole stacks, as folded models take them: rows that are one after
     * another.
     *
     * @param stack number of inputs of a stack; 1 if they do not influence each other
     */
    public static Predictions of(Model model, Inputs inputs, int stack) {
        int size = model.output().size();
        int batch = batch(inputs, size, stack);
        float[] values = new float[Math.multiplyExact(inputs.count(), size)];
        FloatBuffer in = Model.direct(Math.multiplyExact(batch, inputs.size()));
        FloatBuffer out = Model.direct(Math.multiplyExact(batch, size));
        float[] row = new float[inputs.size()];
        for (int from = 0; from < inputs.count(); from += batch) {
            int rows = Math.min(batch, inputs.count() - from);
            in.clear();
            for (int i = 0; i < rows; i++) {
                inputs.copy(from + i, row, 0);
                in.put(row);
            }
            model.predict(rows, in.flip(), out.clear());
            out.flip().get(values, from * size, rows * size);
        }
        return new Predictions(values, size);
    }

    /** Whole stacks of as many inputs as are taken at once, or of fewer where outputs of that size are larger than they. */
    static int batch(Inputs inputs, int size, int stack) {
        return Math.max(1, Math.min(inputs.atOnce(), atOnce(size)) / stack) * stack;
    }

    /** How many rows of that size to take at once: 256, or fewer that fill 256 MiB, but at least 1. */
    static int atOnce(int size) {
        return Math.max(1, Math.min(256, (1 << 26) / size));
    }

    /** Whether each row may be probabilities of classes: none is below zero, and their sum is one. */
    public boolean mayBeProbabilities() {
        for (int row = 0; row < count(); row++) {
            double sum = 0;
            for (float value : row(row)) {
                if (!(value >= 0)) {
                    return false;
                }
                sum += value;
            }
            if (Math.abs(sum - 1) > SUM_TOLERANCE) {
                return false;
            }
        }
        return size > 1;
    }

    /**
     * Refuses predictions from which nothing can be learned.
     *
     * @throws IllegalArgumentException if a value is not finite
     */
    public void requireFinite() {
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                throw new IllegalArgumentException("every prediction must be finite, row " + i / size + " has "
                        + values[i] + ": leave that row out");
            }
        }
    }

    /** Number of predictions. */
    public int count() {
        return values.length / size;
    }

    /** Number of values of a prediction. */
    public int size() {
        return size;
    }

    /** A copy of one prediction. */
    public float[] row(int index) {
        float[] row = new float[size];
        copy(index, row, 0);
        return row;
    }

    /** Some of the predictions, one after another. */
    public float[] rows(int... indices) {
        float[] rows = new float[Math.multiplyExact(indices.length, size)];
        for (int i = 0; i < indices.length; i++) {
            copy(indices[i], rows, i * size);
        }
        return rows;
    }

    /** Copies a prediction into an array, from an offset on. */
    public void copy(int index, float[] into, int offset) {
        System.arraycopy(values, index * size, into, offset, size);
    }

    /** The predicted class: the index of the largest value; -1, which is no class, if one is not a number. */
    public int label(int index) {
        return label(values, index * size, size);
    }

    /** Share of predictions of the right class. */
    public double accuracy(int[] labels) {
        int right = 0;
        for (int i = 0; i < count(); i++) {
            right += label(i) == labels[i] ? 1 : 0;
        }
        return right / (double) count();
    }

    /** Index of the largest value in a part of an array; the first if there are several, -1 if one is not a number. */
    public static int label(float[] values, int offset, int size) {
        int best = 0;
        for (int i = 0; i < size; i++) {
            if (Float.isNaN(values[offset + i])) {
                return -1;
            }
            if (values[offset + i] > values[offset + best]) {
                best = i;
            }
        }
        return best;
    }

    /** The softmax of logits: probabilities. */
    public static float[] softmax(float[] logits) {
        double largest = Double.NEGATIVE_INFINITY;
        for (float logit : logits) {
            largest = Math.max(largest, logit);
        }
        double sum = 0;
        float[] result = new float[logits.length];
        for (float logit : logits) {
            sum += Math.exp(logit - largest);
        }
        for (int i = 0; i < result.length; i++) {
            result[i] = (float) (Math.exp(logits[i] - largest) / sum);
        }
        return result;
    }
}
