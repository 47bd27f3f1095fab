/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Watches the AUC of a training's evaluations. Not thread-safe. */
final class EarlyStop {
    private final int patience;
    /** AUC after an epoch, by its number from 1. */
    private final TreeMap<Integer, Double> evaluations = new TreeMap<>();
    /** The first epoch that this training had a part in. */
    private int first = Integer.MAX_VALUE;

    /** @param patience evaluations without a better one that end the training; 0 if none do */
    EarlyStop(int patience) {
        this.patience = patience;
    }

    /** Some of an epoch's batches were trained. */
    void trained(int epoch) {
        first = Math.min(first, epoch);
    }

    /**
     * Whether this training has the model of an epoch's end. A resumed one has not of epochs that it had behind it. One whose servers go
     * back to the end of an epoch has, although no batch of it is trained again.
     */
    boolean isTrained(int epoch) {
        return epoch >= first;
    }

    /** @param auc a NaN is no better than any number; before the first number it says nothing */
    void evaluated(int epoch, double auc) {
        if (!Double.isNaN(auc)) {
            evaluations.put(epoch, auc);
        } else if (!evaluations.isEmpty()) {
            evaluations.put(epoch, Double.NEGATIVE_INFINITY);
        }
    }

    /** Forgets epochs after this one, which are evaluated again. */
    void forgetAfter(int epoch) {
        evaluations.tailMap(epoch, false).clear();
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
