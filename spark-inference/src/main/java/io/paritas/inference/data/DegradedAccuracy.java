/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.PublicApi;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Accuracies with and without losses (thesis, 8.4.1), over consecutive full groups of k examples.
 *
 * @param groups number of full groups
 * @param available A_a: share of right predictions of the deployed model
 * @param degraded A_d: share of right reconstructions, by the number of predictions lost together, 1 to r; a missing
 *     reconstruction is wrong
 * @param agreement share of reconstructions with the deployed model's class, right or wrong, in the same order
 * @param defaultAnswer accuracy of always predicting the same class: 1 / classes
 */
@PublicApi
public record DegradedAccuracy(
        int groups, double available, List<Double> degraded, List<Double> agreement, double defaultAnswer) {

    /** Reconstructs the missing predictions of a group. */
    @FunctionalInterface
    public interface Reconstruction {
        /**
         * Replaces missing predictions.
         *
         * @param first number of the group's first example
         * @param predictions of the k members, null where missing
         * @return the reconstructed predictions
         */
        BitSet reconstruct(int first, float[][] predictions);
    }

    /** Measures every combination of 1 to r losses in every full group. */
    public static DegradedAccuracy measure(int k, int r, Examples examples, Reconstruction reconstruction) {
        int groups = examples.count() / k;
        if (groups == 0) {
            throw new IllegalArgumentException(
                    "examples must be at least one group of k = " + k + ", got " + examples.count());
        }
        int right = 0;
        for (int i = 0; i < groups * k; i++) {
            right += examples.predictions().label(i) == examples.expected(i) ? 1 : 0;
        }
        List<Double> degraded = new ArrayList<>();
        List<Double> agreement = new ArrayList<>();
        for (int lost = 1; lost <= r; lost++) {
            Count count = new Count();
            for (int group = 0; group < groups; group++) {
                for (int set = 1; set < 1 << k; set++) {
                    if (Integer.bitCount(set) == lost) {
                        count.add(examples, group * k, k, set, reconstruction);
                    }
                }
            }
            degraded.add(count.right / (double) count.all);
            agreement.add(count.agreeing / (double) count.all);
        }
        double share = 1.0 / examples.predictions().size();
        return new DegradedAccuracy(groups, right / (double) (groups * k), degraded, agreement, share);
    }

    private static final class Count {
        int right;
        int agreeing;
        int all;

        void add(Examples examples, int first, int k, int lost, Reconstruction reconstruction) {
            float[][] predictions = new float[k][];
            for (int i = 0; i < k; i++) {
                predictions[i] =
                        (lost >> i & 1) == 1 ? null : examples.predictions().row(first + i);
            }
            BitSet reconstructed = reconstruction.reconstruct(first, predictions);
            for (int i = 0; i < k; i++) {
                if ((lost >> i & 1) == 1) {
                    all++;
                    if (reconstructed.get(i)) {
                        int label = Predictions.label(predictions[i], 0, predictions[i].length);
                        right += label == examples.expected(first + i) ? 1 : 0;
                        agreeing += label == examples.predictions().label(first + i) ? 1 : 0;
                    }
                }
            }
        }
    }

    /**
     * The overall accuracy A_o if a share of predictions is lost, one in a group.
     *
     * @param share share of lost predictions, in [0, 1]; f in the thesis
     */
    public double overall(double share) {
        return (1 - share) * available + share * degraded.get(0);
    }

    /** The accuracies by name, for a descriptor. */
    public Map<String, Double> toMap() {
        Map<String, Double> map = new LinkedHashMap<>();
        map.put("available", available);
        for (int lost = 1; lost <= degraded.size(); lost++) {
            map.put("degraded." + lost + "-lost", degraded.get(lost - 1));
            map.put("agreement." + lost + "-lost", agreement.get(lost - 1));
        }
        map.put("overall.10%-lost", overall(0.1));
        map.put("default-answer", defaultAnswer);
        return map;
    }
}
