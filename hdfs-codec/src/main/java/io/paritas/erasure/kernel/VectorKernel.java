/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.XOR;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Whole vectors of symbols at a time, with the JDK's incubating Vector API.
 *
 * <p>The only class that touches that API, so the only one that a JVM without {@code --add-modules
 * jdk.incubator.vector} cannot load. It loads and stores {@code byte[]} alone: that part of the API is the same on JDK 17
 * and on every later one.
 *
 * <p>Four vectors go through the steps together: a step is one array lookup for four loads, and four accumulators hide
 * the latency of "times x". More than four spill on machines with 16 vector registers.
 */
final class VectorKernel extends TiledKernel {
    private static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();
    private static final byte REDUCTION = 0x1d;

    VectorKernel(Program program) {
        super(program);
    }

    /** The width of a vector on this machine, in bits. */
    static int bits() {
        return SPECIES.vectorBitSize();
    }

    @Override
    int bulk(int[] steps, Window in, byte[] target, int at, int size) {
        int x = 0;
        for (; x + 4 * LANES <= size; x += 4 * LANES) {
            four(steps, in.arrays, in.offsets, x, target, at);
        }
        for (; x + LANES <= size; x += LANES) {
            one(steps, in.arrays, in.offsets, x, target, at);
        }
        return x;
    }

    private static void four(int[] steps, byte[][] arrays, int[] offsets, int x, byte[] target, int at) {
        ByteVector a = ByteVector.zero(SPECIES);
        ByteVector b = a;
        ByteVector c = a;
        ByteVector d = a;
        for (int step : steps) {
            if (step == Program.TIMES_X) {
                a = timesX(a);
                b = timesX(b);
                c = timesX(c);
                d = timesX(d);
            } else {
                byte[] unit = arrays[step];
                int from = offsets[step] + x;
                a = add(a, unit, from);
                b = add(b, unit, from + LANES);
                c = add(c, unit, from + 2 * LANES);
                d = add(d, unit, from + 3 * LANES);
            }
        }
        a.intoArray(target, at + x);
        b.intoArray(target, at + x + LANES);
        c.intoArray(target, at + x + 2 * LANES);
        d.intoArray(target, at + x + 3 * LANES);
    }

    private static void one(int[] steps, byte[][] arrays, int[] offsets, int x, byte[] target, int at) {
        ByteVector a = ByteVector.zero(SPECIES);
        for (int step : steps) {
            a = step == Program.TIMES_X ? timesX(a) : add(a, arrays[step], offsets[step] + x);
        }
        a.intoArray(target, at + x);
    }

    private static ByteVector add(ByteVector accumulator, byte[] unit, int from) {
        return accumulator.lanewise(XOR, ByteVector.fromArray(SPECIES, unit, from));
    }

    /** Doubles each byte; a byte that was negative had its high bit set, and is reduced. */
    private static ByteVector timesX(ByteVector a) {
        return a.add(a).lanewise(XOR, ByteVector.zero(SPECIES).blend(REDUCTION, a.compare(LT, (byte) 0)));
    }
}
