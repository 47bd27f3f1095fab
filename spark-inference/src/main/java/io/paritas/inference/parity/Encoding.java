/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import java.util.List;

/** How queries become a parity query (thesis, 8.2.1 and 8.4.4). */
public enum Encoding {
    /** Element by element the weighted sum; for inputs of any kind. With several parities each has a query of its own. */
    ADDITION,
    /** Images made smaller and put beside each other, k = 2, or into the quadrants, k = 4; the same for all parities. */
    CONCATENATION;

    void require(Combinations code, List<Integer> shape) {
        if (this == ADDITION) {
            return;
        }
        if (code.k() != 2 && code.k() != 4) {
            throw new IllegalArgumentException(
                    "concatenation is for groups of 2 or 4 images, got k = " + code.k() + ": use addition");
        }
        boolean image = shape.size() == 3;
        if (!image || shape.get(2) % 2 != 0 || (code.k() == 4 && shape.get(1) % 2 != 0)) {
            throw new IllegalArgumentException("concatenation needs images (channels, height, width) whose sides can be"
                    + " halved, got the shape " + shape + ": use addition");
        }
    }
}
