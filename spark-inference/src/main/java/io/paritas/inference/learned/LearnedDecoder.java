/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import io.paritas.inference.parity.GroupDecoder;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Reconstructs missing predictions of a group with a loaded decoder network. In a group that is not full, the prediction of the first
 * member stands for those of all absent ones, and is missing as many times: then nothing is reconstructed unless there are as many
 * answers. For a lonely query, an answer is the prediction itself. Thread-safe if the model is.
 */
@PublicApi
public final class LearnedDecoder implements GroupDecoder {
    private final CodePlan plan;
    private final Model network;
    private final int size;

    /**
     * A decoder.
     *
     * @param network the {@linkplain LearnedCode#decoder decoder} of the code
     * @throws IllegalArgumentException if the network does not fit
     */
    public LearnedDecoder(CodePlan plan, Model network) {
        this.plan = plan;
        this.network = network;
        this.size = network.output().size() / plan.k();
        boolean fits = size > 0
                && network.output().size() == plan.k() * size
                && network.input().size() == (plan.k() + plan.r()) * size;
        if (!fits) {
            throw new IllegalArgumentException("a decoder of k = " + plan.k() + " and r = " + plan.r()
                    + " must go from " + (plan.k() + plan.r()) + " to " + plan.k()
                    + " predictions, this one goes from " + network.input() + " to " + network.output());
        }
    }

    @Override
    public BitSet decode(float[][] predictions, float[][] answers) {
        plan.requireMembers(predictions.length);
        if (answers.length != plan.r()) {
            throw new IllegalArgumentException("there must be an answer or null to each of the r = " + plan.r()
                    + " parity queries, got " + answers.length);
        }
        require(predictions);
        require(answers);
        BitSet missing = missing(predictions);
        if (missing.isEmpty()) {
            return missing;
        }
        if (predictions.length == 1) {
            return replica(predictions, answers);
        }
        float[][] members = full(predictions);
        boolean solvable =
                missing(members).cardinality() <= plan.r() - missing(answers).cardinality();
        return solvable ? replace(predictions, missing, network.predict(received(members, answers))) : new BitSet();
    }

    /** The members of a full group, as {@link LearnedEncoder} fills it up. */
    private float[][] full(float[][] predictions) {
        float[][] members = Arrays.copyOf(predictions, plan.k());
        Arrays.fill(members, predictions.length, plan.k(), predictions[0]);
        return members;
    }

    /** What the network gets: zeros for all that is missing. */
    private float[] received(float[][] members, float[][] answers) {
        float[] received = new float[(plan.k() + plan.r()) * size];
        for (int place = 0; place < plan.k() + plan.r(); place++) {
            float[] row = place < plan.k() ? members[place] : answers[place - plan.k()];
            if (row != null) {
                System.arraycopy(row, 0, received, place * size, size);
            }
        }
        return received;
    }

    private BitSet replace(float[][] predictions, BitSet missing, float[] decoded) {
        BitSet reconstructed = new BitSet();
        missing.stream().forEach(member -> {
            float[] values = Arrays.copyOfRange(decoded, member * size, (member + 1) * size);
            if (finite(values)) {
                predictions[member] = values;
                reconstructed.set(member);
            }
        });
        return reconstructed;
    }

    private static BitSet replica(float[][] predictions, float[][] answers) {
        BitSet reconstructed = new BitSet();
        Arrays.stream(answers)
                .filter(answer -> answer != null && finite(answer))
                .findFirst()
                .ifPresent(answer -> {
                    predictions[0] = answer.clone();
                    reconstructed.set(0);
                });
        return reconstructed;
    }

    private void require(float[][] rows) {
        for (float[] row : rows) {
            if (row != null && row.length != size) {
                throw new IllegalArgumentException("every prediction must have " + size + " values, got " + row.length);
            }
        }
    }

    private static BitSet missing(float[][] rows) {
        BitSet missing = new BitSet();
        for (int i = 0; i < rows.length; i++) {
            missing.set(i, rows[i] == null);
        }
        return missing;
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
