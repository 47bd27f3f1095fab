/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.lang.invoke.MethodHandles;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Whole vectors at a time, with the JDK's incubating Vector API. The only class of this package that imports it.
 *
 * <p>One loop for each number of arguments: every argument is read once, the target written once. C2 makes one instruction
 * of two xors where the machine has it (vpternlogd, AVX-512). Loads are written out: C2 inlines the API without limit, but would soon stop to inline a helper of ours.
 */
final class VectorBlocks implements Blocks {
    /** The widest vectors of this machine; generated code refers to these fields. */
    static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_PREFERRED;

    static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
    private static final int LANES = SPECIES.length();

    private final int[] code;

    VectorBlocks(BlockProgram program) {
        code = program.code();
    }

    @Override
    public void run(byte[][] arrays, int[] offsets, int length) {
        for (int i = 0; i < code.length; i += code[i] + 2) {
            int done = statement(code, i, arrays, offsets, length);
            if (done < length) {
                BlockTail.run(code, i, arrays, offsets, done, length);
            }
        }
    }

    private static int statement(int[] code, int at, byte[][] arrays, int[] offsets, int length) {
        int t = code[at + 1];
        int a = code[at + 2];
        byte[] target = arrays[t];
        int targetAt = offsets[t];
        byte[] aArray = arrays[a];
        int aAt = offsets[a];
        if (code[at] == 1) {
            System.arraycopy(aArray, aAt, target, targetAt, length);
            return length;
        }
        int b = code[at + 3];
        byte[] bArray = arrays[b];
        int bAt = offsets[b];
        if (code[at] == 2) {
            return xor2(target, targetAt, aArray, aAt, bArray, bAt, length);
        }
        int c = code[at + 4];
        byte[] cArray = arrays[c];
        int cAt = offsets[c];
        if (code[at] == 3) {
            return xor3(target, targetAt, aArray, aAt, bArray, bAt, cArray, cAt, length);
        }
        int d = code[at + 5];
        byte[] dArray = arrays[d];
        int dAt = offsets[d];
        if (code[at] == 4) {
            return xor4(target, targetAt, aArray, aAt, bArray, bAt, cArray, cAt, dArray, dAt, length);
        }
        int e = code[at + 6];
        byte[] eArray = arrays[e];
        int eAt = offsets[e];
        if (code[at] == 5) {
            return xor5(target, targetAt, aArray, aAt, bArray, bAt, cArray, cAt, dArray, dAt, eArray, eAt, length);
        }
        int f = code[at + 7];
        byte[] fArray = arrays[f];
        int fAt = offsets[f];
        if (code[at] == 6) {
            return xor6(
                    target, targetAt, aArray, aAt, bArray, bAt, cArray, cAt, dArray, dAt, eArray, eAt, fArray, fAt,
                    length);
        }
        int g = code[at + 8];
        byte[] gArray = arrays[g];
        int gAt = offsets[g];
        if (code[at] == 7) {
            return xor7(
                    target, targetAt, aArray, aAt, bArray, bAt, cArray, cAt, dArray, dAt, eArray, eAt, fArray, fAt,
                    gArray, gAt, length);
        }
        int h = code[at + 9];
        byte[] hArray = arrays[h];
        int hAt = offsets[h];
        return xor8(
                target, targetAt, aArray, aAt, bArray, bAt, cArray, cAt, dArray, dAt, eArray, eAt, fArray, fAt, gArray,
                gAt, hArray, hAt, length);
    }

    private static int xor2(byte[] target, int at, byte[] a, int aAt, byte[] b, int bAt, int length) {
        int x = 0;
        for (; x <= length - LANES; x += LANES) {
            IntVector sum = ByteVector.fromArray(SPECIES, a, aAt + x).reinterpretAsInts();
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, b, bAt + x).reinterpretAsInts());
            sum.reinterpretAsBytes().intoArray(target, at + x);
        }
        return x;
    }

    private static int xor3(
            byte[] target, int at, byte[] a, int aAt, byte[] b, int bAt, byte[] c, int cAt, int length) {
        int x = 0;
        for (; x <= length - LANES; x += LANES) {
            IntVector sum = ByteVector.fromArray(SPECIES, a, aAt + x).reinterpretAsInts();
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, b, bAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, c, cAt + x).reinterpretAsInts());
            sum.reinterpretAsBytes().intoArray(target, at + x);
        }
        return x;
    }

    private static int xor4(
            byte[] target,
            int at,
            byte[] a,
            int aAt,
            byte[] b,
            int bAt,
            byte[] c,
            int cAt,
            byte[] d,
            int dAt,
            int length) {
        int x = 0;
        for (; x <= length - LANES; x += LANES) {
            IntVector sum = ByteVector.fromArray(SPECIES, a, aAt + x).reinterpretAsInts();
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, b, bAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, c, cAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, d, dAt + x).reinterpretAsInts());
            sum.reinterpretAsBytes().intoArray(target, at + x);
        }
        return x;
    }

    private static int xor5(
            byte[] target,
            int at,
            byte[] a,
            int aAt,
            byte[] b,
            int bAt,
            byte[] c,
            int cAt,
            byte[] d,
            int dAt,
            byte[] e,
            int eAt,
            int length) {
        int x = 0;
        for (; x <= length - LANES; x += LANES) {
            IntVector sum = ByteVector.fromArray(SPECIES, a, aAt + x).reinterpretAsInts();
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, b, bAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, c, cAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, d, dAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, e, eAt + x).reinterpretAsInts());
            sum.reinterpretAsBytes().intoArray(target, at + x);
        }
        return x;
    }

    private static int xor6(
            byte[] target,
            int at,
            byte[] a,
            int aAt,
            byte[] b,
            int bAt,
            byte[] c,
            int cAt,
            byte[] d,
            int dAt,
            byte[] e,
            int eAt,
            byte[] f,
            int fAt,
            int length) {
        int x = 0;
        for (; x <= length - LANES; x += LANES) {
            IntVector sum = ByteVector.fromArray(SPECIES, a, aAt + x).reinterpretAsInts();
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, b, bAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, c, cAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, d, dAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, e, eAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, f, fAt + x).reinterpretAsInts());
            sum.reinterpretAsBytes().intoArray(target, at + x);
        }
        return x;
    }

    private static int xor7(
            byte[] target,
            int at,
            byte[] a,
            int aAt,
            byte[] b,
            int bAt,
            byte[] c,
            int cAt,
            byte[] d,
            int dAt,
            byte[] e,
            int eAt,
            byte[] f,
            int fAt,
            byte[] g,
            int gAt,
            int length) {
        int x = 0;
        for (; x <= length - LANES; x += LANES) {
            IntVector sum = ByteVector.fromArray(SPECIES, a, aAt + x).reinterpretAsInts();
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, b, bAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, c, cAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, d, dAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, e, eAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, f, fAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, g, gAt + x).reinterpretAsInts());
            sum.reinterpretAsBytes().intoArray(target, at + x);
        }
        return x;
    }

    private static int xor8(
            byte[] target,
            int at,
            byte[] a,
            int aAt,
            byte[] b,
            int bAt,
            byte[] c,
            int cAt,
            byte[] d,
            int dAt,
            byte[] e,
            int eAt,
            byte[] f,
            int fAt,
            byte[] g,
            int gAt,
            byte[] h,
            int hAt,
            int length) {
        int x = 0;
        for (; x <= length - LANES; x += LANES) {
            IntVector sum = ByteVector.fromArray(SPECIES, a, aAt + x).reinterpretAsInts();
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, b, bAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, c, cAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, d, dAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, e, eAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, f, fAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, g, gAt + x).reinterpretAsInts());
            sum = sum.lanewise(
                    VectorOperators.XOR,
                    ByteVector.fromArray(SPECIES, h, hAt + x).reinterpretAsInts());
            sum.reinterpretAsBytes().intoArray(target, at + x);
        }
        return x;
    }

    /** The lookup that generated code is defined with. */
    static MethodHandles.Lookup lookup() {
        return MethodHandles.lookup();
    }

    /** The width of a vector on this machine, in bytes. */
    static int lanes() {
        return LANES;
    }
}
