/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The self-check of a kernel that computes elsewhere, for one call. The kernel shows every range of every unit: of inputs
 * before they leave, of outputs when they have arrived. In the end the folds of all must satisfy the program's equations. A
 * fold is the xor of a unit's longs, turned by a byte after every tile, so that two equal faults do not cancel. Not
 * thread-safe.
 */
public final class RangeFolds {
    private static final int TILE = 4096;
    private static final int STEP = 4 * Long.BYTES;

    private final Program program;
    private final Check check;
    /** One fold for each unit, inputs first. */
    private final long[] folds;

    private RangeFolds(Program program, Check check) {
        this.program = program;
        this.check = check;
        this.folds = new long[program.inputs() + program.outputs()];
    }

    /** Begins the check of a call, if this JVM wants calls to be checked. */
    public static RangeFolds begin(Program program) {
        return new RangeFolds(program, Check.current());
    }

    /**
     * Adds the next range of an input. All units have the same ranges, of multiples of 8 bytes but for the last one.
     *
     * @param bytes the remaining bytes of the buffer, whose position does not move
     */
    public void addInput(int input, ByteBuffer bytes) {
        add(input, bytes);
    }

    /** Adds the next range of an output, as {@link #addInput} does. */
    public void addOutput(int output, ByteBuffer bytes) {
        add(program.inputs() + output, bytes);
    }

    private void add(int unit, ByteBuffer bytes) {
        if (check == Check.NONE) {
            return;
        }
        ByteBuffer range = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        long fold = folds[unit];
        for (int from = 0; from < range.capacity(); from += TILE) {
            fold = Long.rotateLeft(fold, Byte.SIZE) ^ xor(range, from, Math.min(range.capacity(), from + TILE));
        }
        folds[unit] = fold;
    }

    /** Four sums at a time, because one would wait for itself. */
    private static long xor(ByteBuffer range, int from, int to) {
        long a = 0;
        long b = 0;
        long c = 0;
        long d = 0;
        int at = from;
        for (; at <= to - STEP; at += STEP) {
            a ^= range.getLong(at);
            b ^= range.getLong(at + Long.BYTES);
            c ^= range.getLong(at + 2 * Long.BYTES);
            d ^= range.getLong(at + 3 * Long.BYTES);
        }
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            a ^= range.getLong(at);
        }
        for (int shift = 0; at < to; at++, shift += Byte.SIZE) {
            b ^= Byte.toUnsignedLong(range.get(at)) << shift;
        }
        return a ^ b ^ c ^ d;
    }

    /**
     * Checks the folds, when all ranges of all units have been added.
     *
     * @throws CodingFaultException if those of the outputs do not match those of the inputs
     */
    public void check() {
        for (int shift = 0; check == Check.FOLD && shift < Long.SIZE; shift += Byte.SIZE) {
            int[] symbols = new int[program.inputs()];
            for (int input = 0; input < symbols.length; input++) {
                symbols[input] = symbol(input, shift);
            }
            int[] expected = program.interpret(symbols);
            for (int output = 0; output < expected.length; output++) {
                if (expected[output] != symbol(program.inputs() + output, shift)) {
                    throw new CodingFaultException(program.inputs(), program.outputs());
                }
            }
        }
    }

    private int symbol(int unit, int shift) {
        return (int) (folds[unit] >>> shift) & 0xff;
    }
}
