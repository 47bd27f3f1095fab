/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.PublicApi;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.spark.job.Serialised;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/**
 * Quality of predictions: AUC, log loss, normalized entropy and calibration. It keeps every logit, four bytes each, so that all
 * figures are exact and do not depend on the order in which samples are added and parts are merged. Not thread-safe.
 */
@PublicApi
public final class Evaluation implements Serializable {
    private static final long serialVersionUID = 1;
    /** Bytes that are kept, and sent to the driver, of each sample. */
    public static final int BYTES_OF_SAMPLE = Float.BYTES;

    private final Logits clicks = new Logits();
    private final Logits others = new Logits();

    /**
     * Samples with neighbouring predictions.
     *
     * @param samples number of samples
     * @param predicted mean prediction
     * @param observed share of clicks
     */
    public record Bin(long samples, double predicted, double observed) {}

    /**
     * What an evaluation found, without its logits. AUC and normalized entropy are NaN if there is only one label.
     *
     * @param samples number of samples
     * @param auc as {@link #auc()}
     * @param logLoss as {@link #logLoss()}
     * @param normalizedEntropy as {@link #normalizedEntropy()}
     * @param calibration as {@link #calibration()}
     */
    public record Figures(long samples, double auc, double logLoss, double normalizedEntropy, double calibration) {
        /** A line, for example {@code 5000 samples: AUC 0.7012, log loss 0.4981, calibration 1.003}. */
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d samples: AUC %.4f, log loss %.4f, calibration %.3f",
                    samples,
                    auc,
                    logLoss,
                    calibration);
        }
    }

    /**
     * Adds a sample.
     *
     * @param label 0 or 1
     * @throws IllegalArgumentException if the label is another number, or the logit is NaN
     */
    public void add(float logit, float label) {
        if (label != 0 && label != 1) {
            throw new IllegalArgumentException("a label must be 0 or 1, got " + label);
        }
        if (Float.isNaN(logit)) {
            throw new IllegalArgumentException(
                    "a logit must be a number, got NaN: the model has diverged, train it with a lower learning rate");
        }
        (label == 1 ? clicks : others).add(logit);
    }

    /** Adds samples. */
    public void add(float[] logits, float[] labels) {
        for (int i = 0; i < logits.length; i++) {
            add(logits[i], labels[i]);
        }
    }

    /** Adds the samples of another evaluation; returns this one. */
    public Evaluation merge(Evaluation other) {
        clicks.addAll(other.clicks);
        others.addAll(other.others);
        return this;
    }

    /**
     * Evaluates all rows of a Dataset.
     *
     * @param predictions with the columns {@code logit FLOAT} and {@code label}, as {@link TrainedModel#predict} returns them
     */
    public static Evaluation of(Dataset<Row> predictions) {
        FlatMapFunction<Iterator<Row>, Evaluation> evaluate = rows -> {
            Evaluation evaluation = new Evaluation();
            rows.forEachRemaining(row -> evaluation.add(row.getFloat(0), row.getFloat(1)));
            return List.of(evaluation).iterator();
        };
        Evaluation all = new Evaluation();
        predictions
                .select(functions.col("logit"), Samples.column(predictions, "label"))
                .toJavaRDD()
                .mapPartitions(evaluate)
                .map(Serialised::write)
                .collect()
                .forEach(part -> all.merge(Serialised.read(part)));
        return all;
    }

    /** Number of samples. */
    public long samples() {
        return (long) clicks.size + others.size;
    }

    /**
     * The area under the receiver operating characteristic: the probability that a click has a greater logit than a sample
     * without one, ties counted half. NaN if there is only one label.
     */
    public double auc() {
        float[] high = clicks.sorted();
        float[] low = others.sorted();
        long twice = 0;
        int below = 0;
        int upTo = 0;
        for (float logit : high) {
            while (below < low.length && low[below] < logit) {
                below++;
            }
            while (upTo < low.length && low[upTo] <= logit) {
                upTo++;
            }
            twice = Math.addExact(twice, (long) below + upTo);
        }
        return twice / 2.0 / ((double) high.length * low.length);
    }

    /** Mean cross entropy (natural logarithm) between labels and predictions. NaN if there are no samples. */
    public double logLoss() {
        double sum = 0;
        for (float logit : clicks.sorted()) {
            sum += softplus(-logit);
        }
        for (float logit : others.sorted()) {
            sum += softplus(logit);
        }
        return sum / samples();
    }

    /**
     * The log loss divided by that of a model that always predicts the share of clicks (X. He et al., "Practical lessons from
     * predicting clicks on ads at Facebook", 2014). Below 1, the model has learned something. NaN if there is only one label.
     */
    public double normalizedEntropy() {
        double share = clicks.size / (double) samples();
        return logLoss() / -(share * Math.log(share) + (1 - share) * Math.log(1 - share));
    }

    /** Predicted clicks divided by observed clicks. */
    public double calibration() {
        return (predicted(clicks.sorted()) + predicted(others.sorted())) / clicks.size;
    }

    /**
     * The samples, ordered by prediction, in bins whose sizes differ by at most one.
     *
     * @param count of bins, at least 1
     * @throws IllegalArgumentException if it is less
     */
    public List<Bin> bins(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("count must be at least 1, got " + count);
        }
        float[] high = clicks.sorted();
        float[] low = others.sorted();
        List<Bin> bins = new ArrayList<>();
        int clicked = 0;
        int not = 0;
        for (int bin = 1; bin <= count; bin++) {
            long end = bin * samples() / count;
            int clickedBefore = clicked;
            int notBefore = not;
            double predicted = 0;
            while ((long) clicked + not < end) {
                boolean click = not == low.length || (clicked < high.length && high[clicked] < low[not]);
                predicted += sigmoid(click ? high[clicked++] : low[not++]);
            }
            long samples = (long) clicked - clickedBefore + not - notBefore;
            if (samples > 0) {
                bins.add(new Bin(samples, predicted / samples, (clicked - clickedBefore) / (double) samples));
            }
        }
        return bins;
    }

    private static double predicted(float[] logits) {
        double sum = 0;
        for (float logit : logits) {
            sum += sigmoid(logit);
        }
        return sum;
    }

    private static double sigmoid(double logit) {
        return 1 / (1 + Math.exp(-logit));
    }

    /** ln(1 + exp(x)), also where exp(x) is infinite. */
    private static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    /** What it finds of the samples so far. */
    public Figures figures() {
        return new Figures(samples(), auc(), logLoss(), normalizedEntropy(), calibration());
    }

    /** The line of its {@linkplain Figures figures}. */
    @Override
    public String toString() {
        return figures().toString();
    }

    /** A list of numbers. */
    private static final class Logits implements Serializable {
        private static final long serialVersionUID = 1;

        private float[] values = {};
        private int size;

        void add(float value) {
            reserve(1);
            values[size++] = value;
        }

        void addAll(Logits other) {
            int count = other.size;
            reserve(count);
            System.arraycopy(other.values, 0, values, size, count);
            size += count;
        }

        private void reserve(int more) {
            int wanted = Math.addExact(size, more);
            if (wanted > values.length) {
                long roomy = Math.max(wanted, values.length + (values.length >> 1) + 16L);
                values = Arrays.copyOf(values, (int) Math.min(roomy, Integer.MAX_VALUE - 8));
            }
        }

        float[] sorted() {
            trim();
            Arrays.sort(values);
            return values;
        }

        private void trim() {
            if (values.length > size) {
                values = Arrays.copyOf(values, size);
            }
        }

        /** Without the room for more. */
        private void writeObject(ObjectOutputStream out) throws IOException {
            trim();
            out.defaultWriteObject();
        }
    }
}
