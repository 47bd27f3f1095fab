/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.util.List;

/** How queries are combined into a parity query (thesis, 8.2.1 and 8.4.4). */
@PublicApi
public enum Encoding {
    /** The weighted sum of the values, for inputs of any kind. Each parity has its own query. */
    ADDITION,
    /**
     * Smaller images side by side (k = 2), two above one that is as wide as both (k = 3), or in the quadrants (k = 4). All parities have
     * the same query. The thesis has no k = 3.
     */
    CONCATENATION;

    void require(Combinations code) {
        if (this == CONCATENATION && (code.k() < 2 || code.k() > 4)) {
            throw new IllegalArgumentException(
                    "concatenation is for groups of 2 to 4 images, got k = " + code.k() + ": use addition");
        }
    }

    void require(Combinations code, List<Integer> shape) {
        require(code);
        if (this == ADDITION) {
            return;
        }
        boolean image = shape.size() == 3;
        if (!image || shape.get(2) % 2 != 0 || (code.k() > 2 && shape.get(1) % 2 != 0)) {
            throw new IllegalArgumentException("concatenation needs images (channels, height, width) whose sides can be"
                    + " halved, got the shape " + shape + ": use addition");
        }
    }
}
