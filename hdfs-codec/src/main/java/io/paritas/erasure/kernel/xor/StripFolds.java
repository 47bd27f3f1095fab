/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import io.paritas.erasure.kernel.Check;
import io.paritas.erasure.kernel.CodingFaultException;
import java.util.Arrays;

/**
 * The self-check of a {@link StripKernel}. A row, a strip or a unit of interleaved strips, is folded: the xor of its pieces,
 * each of which holds a few bytes of every strip of the row. A program is linear and treats all places of a strip alike, so the
 * output rows' folds are what it makes of the input rows' folds. Folds are turned by a byte after every window, so that equal
 * faults in two windows do not cancel. Immutable and thread-safe.
 *
 * @param check whether anything is done
 * @param inputs number of rows that are read
 * @param outputs number of rows that are written
 * @param piece bytes of a piece: a multiple of the widest vector's
 * @param statement adds pieces up
 * @param expected runs the program on one piece of each row; its scratch arrays follow the rows
 * @param scratch the length of each of the scratch arrays
 */
record StripFolds(
        Check check,
        int inputs,
        int outputs,
        int piece,
        StatementMethod statement,
        BlockRunner expected,
        int[] scratch) {
    /** The statements {@code sum ^= pieces}, by their number of pieces. */
    private static final int[][] ADD = new int[BlockProgram.MAX_ARGUMENTS][];

    static {
        for (int pieces = 1; pieces < ADD.length; pieces++) {
            int[] code = new int[pieces + 3];
            code[0] = pieces + 1;
            for (int argument = 0; argument <= pieces; argument++) {
                code[2 + argument] = argument;
            }
            ADD[pieces] = code;
        }
    }

    /** Begins the check of a call. */
    Sums begin() {
        return new Sums(check == Check.FOLD ? (inputs + outputs) * piece : 0);
    }

    /** The folds of a call so far. */
    final class Sums {
        private final byte[] sums;
        private final byte[] tail = new byte[piece];
        /** The operands of a statement: the sum, then pieces. */
        private final byte[][] arrays = new byte[BlockProgram.MAX_ARGUMENTS][];

        private final int[] offsets = new int[BlockProgram.MAX_ARGUMENTS];

        private Sums(int bytes) {
            sums = new byte[bytes];
        }

        /** Adds a window of the input rows. */
        void addInputs(byte[][] rows, int[] places, int size) {
            for (int x = 0; x < sums.length; x += Long.BYTES) {
                BlockTail.LONGS.set(sums, x, Long.rotateLeft((long) BlockTail.LONGS.get(sums, x), Byte.SIZE));
            }
            add(0, inputs, rows, places, size);
        }

        /** Adds the same window of the output rows, which follow the inputs in the arrays. */
        void addOutputs(byte[][] rows, int[] places, int size) {
            add(inputs, inputs + outputs, rows, places, size);
        }

        private void add(int from, int to, byte[][] rows, int[] places, int size) {
            for (int row = from; check == Check.FOLD && row < to; row++) {
                arrays[0] = sums;
                offsets[0] = row * piece;
                Arrays.fill(arrays, 1, arrays.length, rows[row]);
                int whole = size / piece;
                for (int done = 0; done < whole; ) {
                    int pieces = Math.min(ADD.length - 1, whole - done);
                    for (int i = 1; i <= pieces; i++) {
                        offsets[i] = places[row] + done++ * piece;
                    }
                    statement.run(ADD[pieces], 0, arrays, offsets, piece);
                }
                int rest = size - whole * piece;
                if (rest > 0) {
                    System.arraycopy(rows[row], places[row] + whole * piece, tail, 0, rest);
                    Arrays.fill(tail, rest, piece, (byte) 0);
                    arrays[1] = tail;
                    offsets[1] = 0;
                    statement.run(ADD[1], 0, arrays, offsets, piece);
                }
            }
        }

        /**
         * Checks the folds, when all windows have been added.
         *
         * @throws CodingFaultException if those of the outputs do not match those of the inputs
         */
        void check(Strips from, Strips to) {
            if (check == Check.NONE) {
                return;
            }
            byte[] computed = new byte[outputs * piece];
            byte[][] rows = new byte[inputs + outputs + scratch.length][];
            int[] places = new int[rows.length];
            for (int row = 0; row < inputs + outputs; row++) {
                rows[row] = row < inputs ? sums : computed;
                places[row] = (row < inputs ? row : row - inputs) * piece;
            }
            for (int i = 0; i < scratch.length; i++) {
                rows[inputs + outputs + i] = new byte[scratch[i]];
            }
            expected.run(rows, places, piece);
            if (!Arrays.equals(sums, inputs * piece, sums.length, computed, 0, computed.length)) {
                throw new CodingFaultException(from.units(), to.units());
            }
        }
    }
}
