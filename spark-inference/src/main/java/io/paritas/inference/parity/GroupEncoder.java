/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.util.List;
import java.util.stream.Stream;

/** Makes the parity queries of a group. Thread-safe. */
@PublicApi
public interface GroupEncoder {

    /**
     * A parity query of a group.
     *
     * <p>A NaN in a query is a NaN in the parity query. A network may drop it, in a maximum over an image: leave a query that is not finite
     * out of groups, as {@link InputRange#holds} tells.
     *
     * @param queries 1 to k queries, each of the encoder's shape, as the deployed model gets them
     * @param parity number of the parity query, 0 to r − 1
     * @return a query of the same shape
     * @throws IllegalArgumentException if there are more queries or fewer, one has another size, or the code has no such parity
     */
    float[] encode(List<float[]> queries, int parity);

    /**
     * Writes the parity queries of several groups. Each batch holds queries one after the other, and those at the same place in
     * all batches are a group; its parity query is written to that place.
     *
     * @param batches 1 to k batches, each with at least {@code to} queries
     * @param parity number of the parity query, 0 to r − 1
     * @param from the first group
     * @param to the group behind the last
     */
    void encode(List<float[]> batches, int parity, int from, int to, float[] into);

    /**
     * Writes several parity queries of each group: the same as one by one, but an encoder that is a network runs once for all of them.
     *
     * @param into for each of the first parities, where its queries go
     */
    default void encode(List<float[]> batches, int from, int to, List<float[]> into) {
        for (int parity = 0; parity < into.size(); parity++) {
            encode(batches, parity, from, to, into.get(parity));
        }
    }

    /**
     * The first parity queries of a group, as {@link #encode(List, int)} makes each; an encoder that is a network runs once for all of them.
     *
     * @param queries as there
     * @param parities how many, up to r
     */
    default List<float[]> encodeAll(List<float[]> queries, int parities) {
        return encodeAll(queries, 1, parities);
    }

    /**
     * The first parity queries of several groups, as {@link #encode(List, int, int, List)} makes them.
     *
     * @param batches 1 to k batches of as many queries as there are groups
     * @param parities how many of each group, up to r
     * @return for each parity a batch of its queries
     */
    default List<float[]> encodeAll(List<float[]> batches, int groups, int parities) {
        List<float[]> made = Stream.generate(() -> new float[batches.get(0).length])
                .limit(parities)
                .toList();
        encode(batches, 0, groups, made);
        return made;
    }
}
