/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.MethodVisitor;

/**
 * Writes calls of the Vector API, for the generators of this package.
 *
 * <p>The code calls the API directly, because C2 inlines it without limit, but not helpers between. Only loads and stores of
 * {@code byte[]} are used, which are the same on JDK 17 and all later ones.
 * C2 makes one instruction of two logical ones where the machine has it (vpternlogd, AVX-512).
 */
final class VectorInstructions {
    private static final String API = "jdk/incubator/vector/";
    private static final String BYTES = API + "ByteVector";
    private static final String INTS = API + "IntVector";
    private static final String OPERATORS = API + "VectorOperators";
    private static final String SPECIES = "L" + API + "VectorSpecies;";
    private static final String HOME = "io/paritas/erasure/kernel/xor/WidestVector";

    private VectorInstructions() {}

    /** Puts a vector on the stack; {@code place} puts its array and index there. */
    static void load(MethodVisitor code, Runnable place) {
        code.visitFieldInsn(GETSTATIC, HOME, "SPECIES", SPECIES);
        place.run();
        code.visitMethodInsn(INVOKESTATIC, BYTES, "fromArray", "(" + SPECIES + "[BI)L" + BYTES + ";", false);
        code.visitMethodInsn(INVOKEVIRTUAL, BYTES, "reinterpretAsInts", "()L" + INTS + ";", false);
    }

    /** Takes a vector from the stack; {@code place} puts the array and index there that it is stored to. */
    static void store(MethodVisitor code, Runnable place) {
        code.visitMethodInsn(INVOKEVIRTUAL, INTS, "reinterpretAsBytes", "()L" + BYTES + ";", false);
        place.run();
        code.visitMethodInsn(INVOKEVIRTUAL, BYTES, "intoArray", "([BI)V", false);
    }

    /** Puts a vector of zeros on the stack. */
    static void zero(MethodVisitor code) {
        code.visitFieldInsn(GETSTATIC, HOME, "INTS", SPECIES);
        code.visitMethodInsn(INVOKESTATIC, INTS, "zero", "(" + SPECIES + ")L" + INTS + ";", false);
    }

    /** Puts a vector on the stack, each of its ints the one that {@code scalar} puts there. */
    static void broadcast(MethodVisitor code, Runnable scalar) {
        code.visitFieldInsn(GETSTATIC, HOME, "INTS", SPECIES);
        scalar.run();
        code.visitMethodInsn(INVOKESTATIC, INTS, "broadcast", "(" + SPECIES + "I)L" + INTS + ";", false);
    }

    /** Replaces the two vectors on the stack by their xor. */
    static void xor(MethodVisitor code) {
        lanewise(code, "XOR");
    }

    /** Replaces the two vectors on the stack by what both have. */
    static void and(MethodVisitor code) {
        lanewise(code, "AND");
    }

    private static void lanewise(MethodVisitor code, String operator) {
        code.visitFieldInsn(GETSTATIC, OPERATORS, operator, "L" + OPERATORS + "$Associative;");
        code.visitInsn(SWAP);
        code.visitMethodInsn(
                INVOKEVIRTUAL,
                INTS,
                "lanewise",
                "(L" + OPERATORS + "$Binary;L" + API + "Vector;)L" + INTS + ";",
                false);
    }
}
