/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.Predictions;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A small model before a large one (thesis, 9.5.2): it answers the rows that it is sure of, whose predicted class has at least a
 * threshold's probability, and the large model answers the rest. Immutable.
 */
@PublicApi
public final class Cascade {
    private static final String SMALL = "small";

    private final Bundle bundle;
    private final int fold;
    private final double threshold;

    private Cascade(Bundle bundle) {
        this.bundle = bundle;
        this.fold = bundle.number("fold");
        try {
            this.threshold = Double.parseDouble(bundle.text("threshold"));
        } catch (NumberFormatException e) {
            throw new ModelException("the cascade's descriptor is damaged: " + e.getMessage(), e);
        }
        if (fold < 1 || !(threshold >= 0 && threshold <= 1)) {
            throw new ModelException("a cascade's fold must be at least 1 and its threshold 0 to 1, got " + fold
                    + " and " + threshold + ": calibrate it again; if it was read, its descriptor is damaged");
        }
    }

    /**
     * A threshold, and what it does to examples.
     *
     * @param threshold least probability of the small model's class
     * @param share of the examples that the small model answers
     * @param accuracy of the cascade
     * @param small accuracy of the small model alone
     * @param large accuracy of the large model alone
     */
    public record Calibration(double threshold, double share, double accuracy, double small, double large) {}

    /**
     * Chooses the threshold with which the small model answers the most examples, and the cascade is as accurate as wanted. The
     * examples must not be those of any training.
     *
     * @param small the small model's predictions, as logits
     * @param large the large model's, of the same examples
     * @param labels the right classes
     * @param wanted least accuracy, in [0, 1]
     * @throws ModelException if no threshold is that accurate
     */
    public static Calibration calibrate(Predictions small, Predictions large, int[] labels, double wanted) {
        int count = labels.length;
        requireExamples(small, large, count);
        double[] sure = IntStream.range(0, count)
                .mapToDouble(i -> confidence(small.row(i)))
                .toArray();
        int[] order = IntStream.range(0, count)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> -sure[i]))
                .mapToInt(Integer::intValue)
                .toArray();
        int right = 0;
        for (int i = 0; i < count; i++) {
            right += large.label(i) == labels[i] ? 1 : 0;
        }
        double alone = right / (double) count;
        double best = alone;
        double chosen = 0;
        for (int taken = 1; taken <= count; taken++) {
            int row = order[taken - 1];
            right += (small.label(row) == labels[row] ? 1 : 0) - (large.label(row) == labels[row] ? 1 : 0);
            boolean last = taken == count || sure[order[taken]] < sure[row];
            double accuracy = right / (double) count;
            best = last && sure[row] > 0 ? Math.max(best, accuracy) : best;
            if (last && sure[row] > 0 && accuracy >= wanted) {
                chosen = sure[row];
            }
        }
        if (chosen == 0) {
            throw new ModelException("no threshold makes the cascade as accurate as " + wanted + " on these examples: "
                    + best + " is the best, the large model alone has " + alone + ": ask for less");
        }
        return measure(small, large, labels, chosen);
    }

    private static void requireExamples(Predictions small, Predictions large, int count) {
        if (count == 0 || small.count() != count || large.count() != count) {
            throw new IllegalArgumentException("both models must have answered as many examples as there are labels, at"
                    + " least one; got " + small.count() + ", " + large.count() + " and " + count);
        }
    }

    /**
     * What a threshold does to examples, which should be others than those that it was chosen on.
     *
     * @param small the small model's predictions, as logits
     * @param large the large model's, of the same examples
     * @param labels the right classes
     */
    public static Calibration measure(Predictions small, Predictions large, int[] labels, double threshold) {
        int count = labels.length;
        requireExamples(small, large, count);
        int sure = 0;
        int right = 0;
        for (int i = 0; i < count; i++) {
            boolean first = confidence(small.row(i)) >= threshold;
            sure += first ? 1 : 0;
            right += (first ? small : large).label(i) == labels[i] ? 1 : 0;
        }
        return new Calibration(
                threshold,
                sure / (double) count,
                right / (double) count,
                small.accuracy(labels),
                large.accuracy(labels));
    }

    /** The probability that logits give to their largest value's class; 0 if one is not finite. */
    public static double confidence(float[] logits) {
        for (float logit : logits) {
            if (!Float.isFinite(logit)) {
                return 0;
            }
        }
        double largest = logits[Predictions.label(logits, 0, logits.length)];
        double sum = 0;
        for (float logit : logits) {
            sum += Math.exp(logit - largest);
        }
        return 1 / sum;
    }

    /**
     * A calibrated cascade.
     *
     * @param small the small model
     * @param fold images in a stack of a folded small model, 1 for others
     * @param large the large model
     * @param about the examples of the calibration
     * @throws ModelException if the fold is not at least 1, or the threshold not 0 to 1
     */
    public static Cascade of(ModelFile small, int fold, DeployedModel large, Calibration calibration, String about) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fold", String.valueOf(fold));
        settings.put("threshold", String.valueOf(calibration.threshold()));
        Map<String, Double> accuracy = new LinkedHashMap<>();
        accuracy.put("share", calibration.share());
        accuracy.put("cascade", calibration.accuracy());
        accuracy.put("small", calibration.small());
        accuracy.put("large", calibration.large());
        return new Cascade(Bundle.of(BundleKind.CASCADE, large, Map.of(SMALL, small))
                .withSettings(settings)
                .withAccuracy(accuracy)
                .withTraining(Map.of("data", about)));
    }

    /**
     * Reads a cascade.
     *
     * @param path a descriptor {@code cascade.json} or its folder
     * @throws ModelException if files are missing, changed or damaged
     */
    public static Cascade read(Path path) {
        return new Cascade(Bundle.read(path, BundleKind.CASCADE));
    }

    /** The small model, with its descriptor, to write. */
    public Bundle bundle() {
        return bundle;
    }

    /** The small model. */
    public ModelFile small() {
        return bundle.model(SMALL);
    }

    /** Images in a stack of the small model, 1 if it is not folded. */
    public int fold() {
        return fold;
    }

    /** The least probability of an answer of the small model. */
    public double threshold() {
        return threshold;
    }
}
