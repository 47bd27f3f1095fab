/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import io.paritas.erasure.CodeParameters;

/**
 * What a coder is measured on.
 *
 * @param unitLength bytes of each of the n units
 */
record Shape(CodeParameters code, int unitLength) {
    /** Bytes of data: k units, whatever is computed of them. */
    long dataBytes() {
        return (long) code.k() * unitLength;
    }
}
