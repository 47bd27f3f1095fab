/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import io.paritas.inference.parity.GroupDecoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
        return decode(List.of(new Received(predictions, answers))).get(0);
    }

    @Override
    public List<BitSet> decode(List<Received> groups) {
        groups.forEach(this::require);
        int[] decodable = IntStream.range(0, groups.size())
                .filter(i -> isDecodable(groups.get(i)))
                .toArray();
        List<BitSet> reconstructed =
                groups.stream().map(LearnedDecoder::replica).collect(Collectors.toCollection(ArrayList::new));
        if (decodable.length == 0) {
            return reconstructed;
        }
        float[] received = new float[Math.multiplyExact(decodable.length, (plan.k() + plan.r()) * size)];
        for (int row = 0; row < decodable.length; row++) {
            receive(groups.get(decodable[row]), received, row * (plan.k() + plan.r()) * size);
        }
        float[] decoded = network.predict(received);
        for (int row = 0; row < decodable.length; row++) {
            float[][] predictions = groups.get(decodable[row]).predictions();
            reconstructed.set(decodable[row], replace(predictions, decoded, row * plan.k() * size));
        }
        return reconstructed;
    }

    private void require(Received group) {
        plan.requireMembers(group.predictions().length);
        if (group.answers().length != plan.r()) {
            throw new IllegalArgumentException("there must be an answer or null to each of the r = " + plan.r()
                    + " parity queries, got " + group.answers().length);
        }
        require(group.predictions());
        require(group.answers());
    }

    /** Whether the network can reconstruct a prediction. */
    private boolean isDecodable(Received group) {
        float[][] predictions = group.predictions();
        return predictions.length > 1
                && !missing(predictions).isEmpty()
                && missing(full(predictions)).cardinality()
                        <= plan.r() - missing(group.answers()).cardinality();
    }

    /** The members of a full group, as {@link LearnedEncoder} fills it up. */
    private float[][] full(float[][] predictions) {
        float[][] members = Arrays.copyOf(predictions, plan.k());
        Arrays.fill(members, predictions.length, plan.k(), predictions[0]);
        return members;
    }

    /** Writes what the network gets: zeros for all that is missing. */
    private void receive(Received group, float[] into, int from) {
        float[][] members = full(group.predictions());
        for (int place = 0; place < plan.k() + plan.r(); place++) {
            float[] row = place < plan.k() ? members[place] : group.answers()[place - plan.k()];
            if (row != null) {
                System.arraycopy(row, 0, into, from + place * size, size);
            }
        }
    }

    private BitSet replace(float[][] predictions, float[] decoded, int from) {
        BitSet reconstructed = new BitSet();
        missing(predictions).stream().forEach(member -> {
            float[] values = Arrays.copyOfRange(decoded, from + member * size, from + (member + 1) * size);
            if (finite(values)) {
                predictions[member] = values;
                reconstructed.set(member);
            }
        });
        return reconstructed;
    }

    /** Of a lonely query; nothing of other groups, which take the network. */
    private static BitSet replica(Received group) {
        BitSet reconstructed = new BitSet();
        float[][] predictions = group.predictions();
        if (predictions.length > 1 || predictions[0] != null) {
            return reconstructed;
        }
        Arrays.stream(group.answers())
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
