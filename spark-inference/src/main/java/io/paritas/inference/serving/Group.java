/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Up to k queries of one tenant, and what is known of their predictions and parities. Belongs to {@link Coding}. */
final class Group {
    private final List<Query> members;
    private final float[][] predictions;
    private final float[][] parities;
    private final List<Work> works = new ArrayList<>();
    private boolean sealed;

    Group(int k, int r) {
        this.members = new ArrayList<>(k);
        this.predictions = new float[k][];
        this.parities = new float[r][];
    }

    /** Takes a query in; true if the group is full then. */
    boolean add(Query query) {
        members.add(query);
        return members.size() == predictions.length;
    }

    List<Query> members() {
        return members;
    }

    /** What instances do for it: a query's own work and the parities. */
    List<Work> works() {
        return works;
    }

    boolean isSealed() {
        return sealed;
    }

    /** From now on no query is taken in, so that the parities are known. */
    void seal() {
        sealed = true;
    }

    void predicted(Query query, float[] values) {
        predictions[members.indexOf(query)] = values;
    }

    void parity(int number, float[] values) {
        parities[number] = values;
    }

    /** Predictions of the members, null where missing; a copy. */
    float[][] predictions() {
        return Arrays.copyOf(predictions, members.size());
    }

    float[][] parities() {
        return parities;
    }

    /** Whether what is missing can be reconstructed: something is, and there are as many parities. */
    boolean isDecodable() {
        long missing = Arrays.stream(predictions()).filter(Objects::isNull).count();
        return sealed
                && missing > 0
                && missing <= Arrays.stream(parities).filter(Objects::nonNull).count();
    }

    boolean isReplied() {
        return members.stream().allMatch(Query::isReplied);
    }
}
