/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;

/**
 * The shape of a local reconstruction code as in Windows Azure Storage: k data units, r global parity units made of all of
 * them, and l local groups of k / l data units that have one more parity unit each, the xor of the group.
 *
 * <p>Units are in this order: data units, group after group; the r global parity units; the l local ones.
 *
 * @param k data units, a multiple of l
 * @param r global parity units, at least 1
 * @param l local groups, at least 1
 * @see <a href="https://www.usenix.org/conference/atc12/technical-sessions/presentation/huang">C. Huang et al., Erasure
 *     Coding in Windows Azure Storage, USENIX ATC 2012</a>
 */
@PublicApi
public record LrcParameters(int k, int r, int l) {
    /**
     * @throws IllegalArgumentException if a number is below 1, k is no multiple of l, or there are more units than a code
     *     can have
     */
    public LrcParameters {
        if (k < 1 || r < 1 || l < 1 || r > CodeParameters.MAX_UNITS || k % l != 0) {
            throw new IllegalArgumentException("a local reconstruction code needs k >= 1, r >= 1, l >= 1"
                    + " and k a multiple of l, got k = " + k + ", r = " + r + ", l = " + l);
        }
        new CodeParameters(k, r + l); // throws if there are too many units
    }

    /** The shape of the code as a whole, with r + l parity units. */
    public CodeParameters code() {
        return new CodeParameters(k, r + l);
    }

    /** The data units of a group, k / l: as many units are read to reconstruct one of the group. */
    public int groupSize() {
        return k / l;
    }

    /** The field's notation, such as {@code (12,2,2)}. */
    @Override
    public String toString() {
        return "(" + k + "," + r + "," + l + ")";
    }
}
