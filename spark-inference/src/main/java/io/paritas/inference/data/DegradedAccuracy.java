/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How good predictions are with and without losses (thesis, 8.4.1), over consecutive full groups of k examples.
 *
 * @param groups how many full groups were measured
 * @param available A_a: share of predictions of the deployed model that are right
 * @param degraded A_d: share of reconstructions that are right, by the number of predictions lost together, 1 to r; a
 *     reconstruction that could not be made is wrong
 * @param agreement share of reconstructions that name the same class as the deployed model would have, right or wrong
 * @param defaultAnswer what answering always the same class would reach: 1 / classes
 */
public record DegradedAccuracy(
        int groups, double available, List<Double> degraded, List<Double> agreement, double defaultAnswer) {

    /** Fills in the missing predictions of the group whose first example is given; says which it filled in. */
    @FunctionalInterface
    public interface Reconstruction {
        BitSet reconstruct(int first, float[][] predictions);
    }

    /** Loses every combination of 1 to r predictions in every full group. */
    public static DegradedAccuracy measure(int k, int r, Examples examples, Reconstruction reconstruction) {
        int groups = examples.count() / k;
        if (groups == 0) {
            throw new IllegalArgumentException(
                    "measuring needs at least one group of k = " + k + " examples, got " + examples.count());
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
     * A_o: accuracy over all if that share of predictions is lost, one in a group.
     *
     * @param share in [0, 1]; called f in the thesis
     */
    public double overall(double share) {
        return (1 - share) * available + share * degraded.get(0);
    }

    /** By name, for a descriptor. */
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
