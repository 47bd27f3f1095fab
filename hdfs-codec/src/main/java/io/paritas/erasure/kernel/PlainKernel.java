/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/**
 * Computes eight symbols at a time in a {@code long}. Runs on every JVM, and is the reference for other kernels.
 *
 * <p>The self-check reads a tile's inputs once more before its steps, and its outputs after them.
 */
final class PlainKernel extends TiledKernel {
    private static final int CACHE = 32 * 1024;
    private static final int SMALLEST_TILE = 512;
    private static final int STEP = 4;

    private final Program program;
    private final Check check;
    private final Folds folds;
    private final PlainSteps computed;
    /** Checks the folded equations: the steps themselves, except in tests. */
    private final PlainSteps expected;

    PlainKernel(Program program, Check check) {
        this(program, program, check);
    }

    /**
     * Creates a kernel whose folds are checked with another program than the one that it computes.
     *
     * @param faulty the program itself, or in tests one that makes mistakes; its additional inputs follow those of the
     *     program
     */
    PlainKernel(Program program, Program faulty, Check check) {
        super(Math.max(SMALLEST_TILE, CACHE / (program.inputs() + program.outputs())), Long.BYTES);
        this.program = program;
        this.check = check;
        this.folds = new Folds(faulty.inputs(), faulty.outputs(), Long.BYTES, 2 * Long.BYTES);
        this.computed = new PlainSteps(faulty);
        this.expected = faulty == program ? computed : new PlainSteps(program);
    }

    @Override
    Pass begin() {
        return check == Check.NONE ? computed : new Checked();
    }

    /** A pass that adds up the folds of its tiles, and checks the sums at the end. */
    private final class Checked implements Pass {
        private final byte[] tileFolds = folds.allocateTile();
        private final byte[] sums = folds.allocate();
        private long[] longs = {};

        @Override
        public void apply(Object[] inputs, int[] offsets, Object[] outputs, int[] outputOffsets, int size) {
            longs = longs.length < size / Long.BYTES ? new long[size / Long.BYTES] : longs;
            fold(inputs, offsets, 0, size);
            computed.apply(inputs, offsets, outputs, outputOffsets, size);
            fold(outputs, outputOffsets, folds.inputs(), size);
            folds.add(tileFolds, sums);
        }

        private void fold(Object[] units, int[] offsets, int first, int size) {
            int length = size / Long.BYTES;
            for (int i = 0; i < units.length; i++) {
                LongRange.of(units[i], offsets[i], size).get(longs, 0, length);
                LongRange.of(tileFolds, (first + i) * Long.BYTES, Long.BYTES).put(xor(longs, length));
            }
        }

        /** @throws CodingFaultException if the folds of the outputs do not match those of the inputs */
        @Override
        public void end() {
            folds.check(program, sums, expected);
        }
    }

    /** Four sums at a time, because one would wait for itself. */
    private static long xor(long[] longs, int length) {
        long a = 0;
        long b = 0;
        long c = 0;
        long d = 0;
        int at = 0;
        for (; at <= length - STEP; at += STEP) {
            a ^= longs[at];
            b ^= longs[at + 1];
            c ^= longs[at + 2];
            d ^= longs[at + 3];
        }
        for (; at < length; at++) {
            a ^= longs[at];
        }
        return a ^ b ^ c ^ d;
    }
}
