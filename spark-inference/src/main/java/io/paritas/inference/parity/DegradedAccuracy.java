/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.parity.GroupDecoder.Received;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Accuracies with and without losses (thesis, 8.4.1), over consecutive full groups of k examples.
 *
 * @param groups number of full groups
 * @param available A_a: share of right predictions of the deployed model
 * @param degraded A_d: share of right reconstructions, by the number of predictions lost together, 1 to r; a missing
 *     reconstruction is wrong
 * @param agreement share of reconstructions with the deployed model's class, right or wrong, in the same order
 * @param defaultAnswer accuracy of always predicting the class that is right most often: what degraded has to beat
 */
@PublicApi
public record DegradedAccuracy(
        int groups, double available, List<Double> degraded, List<Double> agreement, double defaultAnswer) {

    /** Losses that are reconstructed together: a decoder that is a network runs once for them. */
    private static final int AT_ONCE = 256;

    /**
     * Measures every combination of 1 to r losses in every full group.
     *
     * @param answers to the parity queries of a group, by its number
     * @throws IllegalArgumentException if the examples are fewer than a group, or have no classes
     */
    public static DegradedAccuracy measure(
            int k, int r, Examples examples, GroupDecoder decoder, IntFunction<float[][]> answers) {
        examples.requireClasses();
        int groups = examples.count() / k;
        if (groups == 0) {
            throw new IllegalArgumentException(
                    "examples must be at least one group of k = " + k + ", got " + examples.count());
        }
        int right = 0;
        Map<Integer, Integer> frequencies = new HashMap<>();
        for (int i = 0; i < groups * k; i++) {
            frequencies.merge(examples.expected(i), 1, Integer::sum);
            right += examples.predictions().label(i) == examples.expected(i) ? 1 : 0;
        }
        List<Double> degraded = new ArrayList<>();
        List<Double> agreement = new ArrayList<>();
        for (int lost = 1; lost <= r; lost++) {
            Count count = new Count(examples, decoder);
            for (int group = 0; group < groups; group++) {
                for (int set = 1; set < 1 << k; set++) {
                    if (Integer.bitCount(set) == lost) {
                        count.add(new Loss(group * k, k, set), answers.apply(group));
                    }
                }
            }
            count.decode();
            degraded.add(count.right / (double) count.all);
            agreement.add(count.agreeing / (double) count.all);
        }
        double all = groups * k;
        double frequent = Collections.max(frequencies.values());
        return new DegradedAccuracy(groups, right / all, degraded, agreement, frequent / all);
    }

    /**
     * What a group loses.
     *
     * @param first number of the group's first example
     * @param set of lost members, a bit for each
     */
    private record Loss(int first, int k, int set) {
        boolean has(int member) {
            return (set >> member & 1) == 1;
        }

        float[][] received(Predictions predictions) {
            float[][] received = new float[k][];
            for (int i = 0; i < k; i++) {
                received[i] = has(i) ? null : predictions.row(first + i);
            }
            return received;
        }
    }

    private static final class Count {
        private final Examples examples;
        private final GroupDecoder decoder;
        private final List<Loss> losses = new ArrayList<>();
        private final List<Received> received = new ArrayList<>();
        int right;
        int agreeing;
        int all;

        Count(Examples examples, GroupDecoder decoder) {
            this.examples = examples;
            this.decoder = decoder;
        }

        void add(Loss loss, float[][] answers) {
            losses.add(loss);
            received.add(new Received(loss.received(examples.predictions()), answers));
            if (losses.size() == AT_ONCE) {
                decode();
            }
        }

        void decode() {
            List<BitSet> reconstructed = decoder.decode(received);
            for (int i = 0; i < losses.size(); i++) {
                count(losses.get(i), received.get(i).predictions(), reconstructed.get(i));
            }
            losses.clear();
            received.clear();
        }

        private void count(Loss loss, float[][] predictions, BitSet reconstructed) {
            for (int i = 0; i < predictions.length; i++) {
                if (loss.has(i)) {
                    all++;
                    if (reconstructed.get(i)) {
                        int example = loss.first() + i;
                        int label = Predictions.label(predictions[i], 0, predictions[i].length);
                        right += label == examples.expected(example) ? 1 : 0;
                        agreeing += label == examples.predictions().label(example) ? 1 : 0;
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
