/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/**
 * Where a kernel keeps what it folds its units to. A program is linear and byte-local, so the xor of an input's vectors
 * and the xor of an output's vectors satisfy the program's equations too; a bit that flips on the way breaks them.
 *
 * <p>Each unit has two folds of one vector, side by side: the sum of its tiles' folds, and a sum that is turned by a byte
 * before each tile's fold is added, in which two equal flips in different tiles do not cancel.
 *
 * @param inputs how many inputs the program has
 * @param outputs how many outputs
 * @param lanes the bytes of one vector
 * @param stride the bytes from one unit's folds to the next one's: two vectors or more, filled up with zeros
 */
record Folds(int inputs, int outputs, int lanes, int stride) {
    byte[] allocate() {
        return new byte[(inputs + outputs) * stride];
    }

    /** Where the sum of a unit starts; outputs are numbered behind the inputs. */
    int sum(int unit) {
        return unit * stride;
    }

    /** Where the turned sum of a unit starts. */
    int turned(int unit) {
        return sum(unit) + lanes;
    }
}
