/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A coding group: up to k queries of one tenant, their predictions and parities. Belongs to {@link CodedStrategy}. */
final class Group {
    private final List<Query> members;
    private final float[][] predictions;
    private final float[][] parities;
    private final List<Work> works = new ArrayList<>();
    private final GroupAnswers answers;
    private boolean sealed;
    private long decodableSince = Long.MIN_VALUE;
    private Decoding decoding = Decoding.NONE;

    /** Whether predictions of it are being reconstructed, which takes time. */
    enum Decoding {
        NONE,
        RUNS,
        /** It runs, and there is news that it does not know of. */
        OUTDATED
    }

    Group(int k, int r) {
        this.members = new ArrayList<>(k);
        this.predictions = new float[k][];
        this.parities = new float[r][];
        this.answers = new GroupAnswers(r);
    }

    /** Adds a query; true if the group is full then. */
    boolean add(Query query) {
        members.add(query);
        return members.size() == predictions.length;
    }

    /** Removes a query that is not predicted from an open group. */
    void remove(Query query) {
        int place = members.indexOf(query);
        members.remove(place);
        System.arraycopy(predictions, place + 1, predictions, place, members.size() - place);
        predictions[members.size()] = null;
    }

    List<Query> members() {
        return members;
    }

    /** The works of its queries and parities. */
    List<Work> works() {
        return works;
    }

    boolean isSealed() {
        return sealed;
    }

    /** Closes the group to queries, which fixes its parities. */
    void seal() {
        sealed = true;
    }

    void predicted(Query query, float[] values) {
        predictions[members.indexOf(query)] = values;
    }

    void parity(int number, float[] values) {
        parities[number] = values;
    }

    /** A copy of the predictions of the members, null where missing. */
    float[][] predictions() {
        return Arrays.copyOf(predictions, members.size());
    }

    float[][] parities() {
        return parities;
    }

    /** What instances have answered, needed or not. */
    GroupAnswers answers() {
        return answers;
    }

    /** Whether predictions are missing and at least as many parities are there. */
    boolean isDecodable() {
        long missing = Arrays.stream(predictions()).filter(Objects::isNull).count();
        return sealed
                && missing > 0
                && missing <= Arrays.stream(parities).filter(Objects::nonNull).count();
    }

    /** Notes that it is decodable, if it was not before. */
    void decodable(long now) {
        if (decodableSince == Long.MIN_VALUE) {
            decodableSince = now;
        }
    }

    /** Counts it as decodable from now on. */
    void decodableAgain(long now) {
        decodableSince = now;
    }

    long decodableSince() {
        return decodableSince;
    }

    Decoding decoding() {
        return decoding;
    }

    void decoding(Decoding state) {
        decoding = state;
    }

    boolean isReplied() {
        return members.stream().allMatch(Query::isReplied);
    }
}
