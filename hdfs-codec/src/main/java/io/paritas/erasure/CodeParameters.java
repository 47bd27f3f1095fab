/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;

/**
 * The shape of a systematic code: k data units, r parity units.
 *
 * @param k data units, at least 1
 * @param r parity units, at least 1
 */
@PublicApi
public record CodeParameters(int k, int r) {
    /** The most units of a stripe: a code over bytes takes one field element for each. */
    public static final int MAX_UNITS = 256;

    /**
     * @throws IllegalArgumentException if k or r is below 1, or k + r above {@value #MAX_UNITS}
     */
    public CodeParameters {
        if (k < 1 || r < 1 || k > MAX_UNITS || r > MAX_UNITS || k + r > MAX_UNITS) {
            throw new IllegalArgumentException("a code over bytes needs k >= 1, r >= 1 and k + r <= " + MAX_UNITS
                    + ", because each unit takes one of the " + MAX_UNITS + " field elements, got k = " + k + ", r = "
                    + r);
        }
    }

    /** The number of units of a stripe, k + r. */
    public int n() {
        return k + r;
    }

    /** The field's notation, such as {@code (6,3)}. */
    @Override
    public String toString() {
        return "(" + k + "," + r + ")";
    }
}
