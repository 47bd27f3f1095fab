/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * The r combinations of k predictions that parity models answer with. Parity j is the sum over i of (i + 1)^j · F(X_i), so parity 0
 * is the plain sum (thesis, 8.2 and 8.6).
 *
 * <p>In a group that is not full, the last member stands for every absent one. Any e losses can still be solved for from any e
 * parities: the weights of lost members are sums of neighbouring columns of a Vandermonde matrix with growing positive nodes. All
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
        double weight = Math.pow(member + 1.0, parity);
        if (member == members - 1) {
            for (int absent = members; absent < k; absent++) {
                weight += Math.pow(absent + 1.0, parity);
            }
        }
        return weight;
    }

    /** Sum of the weights of a parity. */
    public double total(int parity) {
        double total = 0;
        for (int i = 0; i < k; i++) {
            total += Math.pow(i + 1.0, parity);
        }
        return total;
    }

    void requireMembers(int members) {
        if (members < 1 || members > k) {
            throw new IllegalArgumentException("a coding group has 1 to k = " + k + " queries, got " + members);
        }
    }
}
