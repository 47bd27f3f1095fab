/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * The r combinations of k predictions that parity models answer with. Parity j is the sum over i of (i + 1)^j · F(X_i), so parity 0
 * is the plain sum (thesis, 8.2 and 8.6).
 *
 * <p>In a group that is not full, the members take the k places in order, as evenly as they can: three of four take places 1, 2, and
 * 3 with 4. A member that took many alone would be nearly all that a parity model sees. Any e losses can still be solved for from any
 * e parities: the weights of lost members are sums of neighbouring columns of a Vandermonde matrix with growing positive nodes. All
 * its minors are positive, and so are the determinants of such sums.
 *
 * @param k queries of a full group, 2 to 16
 * @param r parity models, 1 to k
 */
@PublicApi
public record Combinations(int k, int r) implements Serializable {

    /** Checks the sizes. */
    public Combinations {
        if (k < 2 || k > 16) {
            throw new IllegalArgumentException("a coding group must have 2 to 16 queries, got k = " + k
                    + (k == 1 ? ": with one query a parity model is a replica, deploy the model twice instead" : ""));
        }
        if (r < 1 || r > k) {
            throw new IllegalArgumentException("a coding group needs 1 to k = " + k + " parity models, got r = " + r);
        }
    }

    /** The weight of a member of a group in a parity. */
    public double weight(int parity, int member, int members) {
        return weightOfPlaces(parity, member * k / members, (member + 1) * k / members);
    }

    /** Sum of the weights of a parity. */
    public double total(int parity) {
        return weightOfPlaces(parity, 0, k);
    }

    private static double weightOfPlaces(int parity, int from, int to) {
        double weight = 0;
        for (int place = from; place < to; place++) {
            weight += Math.pow(place + 1.0, parity);
        }
        return weight;
    }

    /** The member that takes a place: the inverse of the ranges in {@link #weight}. */
    int memberAt(int place, int members) {
        return ((place + 1) * members - 1) / k;
    }

    void requireParity(int parity) {
        if (parity < 0 || parity >= r) {
            throw new IllegalArgumentException("a parity query is one of r = " + r + ", from 0 on, got " + parity);
        }
    }

    void requireMembers(int members) {
        if (members < 1 || members > k) {
            throw new IllegalArgumentException("a coding group has 1 to k = " + k + " queries, got " + members);
        }
    }
}
