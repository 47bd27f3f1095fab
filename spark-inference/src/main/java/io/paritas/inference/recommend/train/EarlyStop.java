/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Watches the AUC of a training's evaluations. Not thread-safe. */
final class EarlyStop {
    private final int patience;
    /** AUC after an epoch, by its number from 1. */
    private final TreeMap<Integer, Double> evaluations = new TreeMap<>();
    /** Epochs whose evaluations are to be made again. */
    private final Set<Integer> forgotten = new HashSet<>();

    /** @param patience evaluations without a better one that end the training; 0 if none do */
    EarlyStop(int patience) {
        this.patience = patience;
    }

    /** @param auc a NaN is no better than any number; before the first number it says nothing */
    void evaluated(int epoch, double auc) {
        forgotten.remove(epoch);
        if (!Double.isNaN(auc)) {
            evaluations.put(epoch, auc);
        } else if (!evaluations.isEmpty()) {
            evaluations.put(epoch, Double.NEGATIVE_INFINITY);
        }
    }

    /** Forgets epochs after this one, which are trained again. */
    void forgetAfter(int epoch) {
        Map<Integer, Double> after = evaluations.tailMap(epoch, false);
        forgotten.addAll(after.keySet());
        after.clear();
    }

    /**
     * Whether the evaluation of an epoch was forgotten, and not made again. It is to be made also if the checkpoint that servers have gone
     * back to has all batches of the epoch, so that none is trained again.
     */
    boolean hasForgotten(int epoch) {
        return forgotten.contains(epoch);
    }

    boolean isDue() {
        return patience > 0
                && !evaluations.isEmpty()
                && evaluations.tailMap(best().getKey(), false).size() >= patience;
    }

    /** The first of the best. */
    private Map.Entry<Integer, Double> best() {
        Map.Entry<Integer, Double> best = evaluations.firstEntry();
        for (Map.Entry<Integer, Double> other : evaluations.entrySet()) {
            best = other.getValue() > best.getValue() ? other : best;
        }
        return best;
    }

    /** For example {@code the best AUC was 0.7312, after epoch 2}. */
    @Override
    public String toString() {
        return evaluations.isEmpty()
                ? "not evaluated"
                : String.format(
                        Locale.ROOT, "the best AUC was %.4f, after epoch %d", best().getValue(), best().getKey());
    }
}
