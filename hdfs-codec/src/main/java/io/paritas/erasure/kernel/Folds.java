/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The layout of a kernel's folds. A fold is the xor of a unit's vectors. A program is linear and byte-local, so the folds of
 * inputs and outputs satisfy its equations too; a bit that flips on the way breaks them.
 *
 * <p>Each unit has two folds of one vector, side by side: the sum of its tiles' folds, and a sum that is turned by a byte
 * before each tile's fold is added, in which two equal flips in different tiles do not cancel.
 *
 * @param inputs inputs of the program
 * @param outputs outputs of the program
 * @param lanes bytes of one vector
 * @param stride bytes from one unit's folds to the next: two vectors or more, padded with zeros
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

    /** The offset of a unit's sum; outputs are numbered behind the inputs. */
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

    /**
     * Checks sums against a program.
     *
     * @param program that the outputs are computed with; it has as many inputs as there are here, or fewer in tests
     * @param exact computes it
     * @throws CodingFaultException if the folds of the outputs do not match those of the inputs
     */
    void check(Program program, byte[] sums, TiledKernel.Pass exact) {
        byte[] expected = allocate();
        Object[] sources = new Object[program.inputs()];
        Object[] targets = new Object[program.outputs()];
        Arrays.fill(sources, sums);
        Arrays.fill(targets, expected);
        exact.apply(sources, offsets(0, sources.length), targets, offsets(inputs, targets.length), stride);
        int from = sum(inputs);
        if (!Arrays.equals(sums, from, sums.length, expected, from, expected.length)) {
            throw new CodingFaultException(program.inputs(), program.outputs());
        }
    }

    private int[] offsets(int first, int count) {
        int[] offsets = new int[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = sum(first + i);
        }
        return offsets;
    }
}
