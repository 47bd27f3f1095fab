/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeParameters;

/**
 * The stripes that a coder is measured on.
 *
 * @param unitLength bytes of each of the n units
 */
record Shape(CodeParameters code, int unitLength) {
    /** Returns the bytes of data, k units, for every operation. */
    long dataBytes() {
        return (long) code.k() * unitLength;
    }
}
