/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

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
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** Room for the sums of all units. */
    byte[] allocate() {
        return new byte[(inputs + outputs) * stride];
    }

    /** Room for the folds of one tile. */
    byte[] allocateTile() {
        return new byte[(inputs + outputs) * lanes];
    }

    /** Where the sum of a unit starts; outputs are numbered behind the inputs. */
    int sum(int unit) {
        return unit * stride;
    }

    /** Adds the folds of a tile to the sums. */
    void add(byte[] tile, byte[] sums) {
        for (int unit = 0; unit < inputs + outputs; unit++) {
            int from = unit * lanes;
            int to = sum(unit);
            for (int x = 0; x < lanes; x += Long.BYTES) {
                long fold = (long) LONGS.get(tile, from + x);
                long sum = (long) LONGS.get(sums, to + x);
                long turned = (long) LONGS.get(sums, to + lanes + x);
                LONGS.set(sums, to + x, sum ^ fold);
                LONGS.set(sums, to + lanes + x, Long.rotateLeft(turned, Byte.SIZE) ^ fold);
            }
        }
    }
}
