/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.util.BitSet;
import java.util.List;

/** Reconstructs the missing predictions of a group. Thread-safe. */
@PublicApi
public interface GroupDecoder {

    /**
     * Replaces missing predictions by their reconstructions, as far as there are any and they are finite. Nothing is reconstructed if
     * there are fewer answers than missing predictions.
     *
     * @param predictions of 1 to k members, null where missing; those without a reconstruction stay null
     * @param answers to the r parity queries, null where missing
     * @return the reconstructed predictions: all that were missing, some of them, or none
     * @throws IllegalArgumentException if the numbers of members, answers or values do not fit
     */
    BitSet decode(float[][] predictions, float[][] answers);

    /**
     * What has arrived of a group; see {@link #decode(float[][], float[][])}.
     *
     * @param predictions of 1 to k members, null where missing; reconstructions are written here
     * @param answers to the r parity queries, null where missing
     */
    @SuppressWarnings("ArrayRecordComponent") // reconstructions are written to one of them
    record Received(float[][] predictions, float[][] answers) {}

    /**
     * Replaces missing predictions of several groups, whatever each misses: as one by one, but a decoder that is a network runs once
     * for all of them. Its reconstructions may then differ by rounding.
     *
     * @return of each group the reconstructed predictions
     */
    default List<BitSet> decode(List<Received> groups) {
        return groups.stream()
                .map(group -> decode(group.predictions(), group.answers()))
                .toList();
    }
}
