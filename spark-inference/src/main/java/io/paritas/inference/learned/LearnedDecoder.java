/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import java.util.Arrays;
import java.util.BitSet;

/** Reconstructs missing predictions of a group with a loaded decoder network. Thread-safe if the model is. */
@PublicApi
public final class LearnedDecoder {
    private final CodePlan plan;
    private final Model network;
    private final int size;

    /** @param network the {@linkplain LearnedCode#decoder decoder} of the code */
    public LearnedDecoder(LearnedCode code, Model network) {
        this.plan = code.plan();
        this.network = network;
        this.size = code.bundle().descriptor().output().size();
        boolean fits = network.input().size() == (plan.k() + plan.r()) * size
                && network.output().size() == plan.k() * size;
        if (!fits) {
            throw new IllegalArgumentException("a decoder of k = " + plan.k() + " and r = " + plan.r()
                    + " for predictions of " + size + " values must go from " + (plan.k() + plan.r()) * size + " to "
                    + plan.k() * size + " values, this one goes from " + network.input() + " to " + network.output());
        }
    }

    /**
     * Replaces missing predictions by their reconstructions, as far as these are finite. Nothing is reconstructed if there are
     * fewer parities than missing predictions.
     *
     * @param predictions of exactly k members, null where missing; those without a reconstruction stay null
     * @param parities the deployed model's answers to the r parity queries, null where missing
     * @return the reconstructed predictions: all that were missing, some of them, or none
     */
    public BitSet decode(float[][] predictions, float[][] parities) {
        if (predictions.length != plan.k() || parities.length != plan.r()) {
            throw new IllegalArgumentException("a group has k = " + plan.k() + " predictions and r = " + plan.r()
                    + " parities, got " + predictions.length + " and " + parities.length);
        }
        BitSet reconstructed = new BitSet();
        BitSet missing = new BitSet();
        float[] received = new float[(plan.k() + plan.r()) * size];
        int present = place(parities, received, plan.k(), null);
        place(predictions, received, 0, missing);
        if (missing.isEmpty() || missing.cardinality() > present) {
            return reconstructed;
        }
        float[] decoded = network.predict(received);
        missing.stream().forEach(member -> {
            float[] values = Arrays.copyOfRange(decoded, member * size, (member + 1) * size);
            if (finite(values)) {
                predictions[member] = values;
                reconstructed.set(member);
            }
        });
        return reconstructed;
    }

    /** Copies the present rows to their places, marks the missing ones, and returns the number of the present. */
    private int place(float[][] rows, float[] into, int first, BitSet missing) {
        int present = 0;
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] != null) {
                if (rows[i].length != size) {
                    throw new IllegalArgumentException(
                            "every prediction must have " + size + " values, got " + rows[i].length);
                }
                System.arraycopy(rows[i], 0, into, (first + i) * size, size);
                present++;
            } else if (missing != null) {
                missing.set(i);
            }
        }
        return present;
    }

    private static boolean finite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                return false;
            }
        }
        return true;
    }
}
