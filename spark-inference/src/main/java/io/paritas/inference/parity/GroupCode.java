/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A code over the predictions of coding groups: how parity queries are made of a group's queries, and how lost predictions are
 * reconstructed from the others and the answers to these. A {@link ParityPlan} does so by arithmetic; learned codes do it by networks.
 * Immutable.
 */
@PublicApi
public interface GroupCode extends Serializable {

    /** Queries of a full group. */
    int k();

    /** Parity queries of a group. */
    int r();

    /** The roles of the networks that encode and decode; none if that is arithmetic. */
    default List<String> networks() {
        return List.of();
    }

    /**
     * Checks that queries of a shape can be encoded.
     *
     * @throws IllegalArgumentException if not
     */
    void require(List<Integer> shape);

    /**
     * An encoder.
     *
     * @param shape of a query
     * @param networks loads a {@linkplain #networks network} of the code by its role. Whoever gives it closes them
     * @throws IllegalArgumentException if such queries cannot be encoded
     */
    GroupEncoder encoder(List<Integer> shape, Function<String, Model> networks);

    /** A decoder; the networks as in {@link #encoder}. */
    GroupDecoder decoder(Function<String, Model> networks);

    /** The weights of queries in parity queries, if these are sums of queries, value by value. */
    default Optional<Combinations> sums() {
        return Optional.empty();
    }

    /** How far predictions are from the answers to their parity queries, if these answers stand for a combination of them. */
    default Optional<Residual> residual() {
        return Optional.empty();
    }
}
