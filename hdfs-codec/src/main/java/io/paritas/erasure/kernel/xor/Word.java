/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.MethodVisitor;

/** The unit of data that one step of a generated loop loads, xors and stores: writes the code for it. */
enum Word {
    /** Eight bytes in a {@code long}: runs on every JVM. C2 vectorises such loops by itself. */
    LONG {
        private static final String HANDLE = "java/lang/invoke/VarHandle";

        @Override
        int bytes() {
            return Long.BYTES;
        }

        @Override
        void load(MethodVisitor code, Runnable place) {
            writeHandle(code);
            place.run();
            code.visitMethodInsn(INVOKEVIRTUAL, HANDLE, "get", "([BI)J", false);
        }

        @Override
        void xor(MethodVisitor code) {
            code.visitInsn(LXOR);
        }

        @Override
        void store(MethodVisitor code, Runnable place, Runnable value) {
            writeHandle(code);
            place.run();
            value.run();
            code.visitMethodInsn(INVOKEVIRTUAL, HANDLE, "set", "([BIJ)V", false);
        }

        private void writeHandle(MethodVisitor code) {
            code.visitFieldInsn(GETSTATIC, "io/paritas/erasure/kernel/xor/BlockTail", "LONGS", "L" + HANDLE + ";");
        }
    },

    /** A vector of the JDK's Vector API. */
    VECTOR {
        @Override
        int bytes() {
            return WidestVector.lanes();
        }

        @Override
        void load(MethodVisitor code, Runnable place) {
            VectorInstructions.load(code, place);
        }

        @Override
        void xor(MethodVisitor code) {
            VectorInstructions.xor(code);
        }

        @Override
        void store(MethodVisitor code, Runnable place, Runnable value) {
            value.run();
            VectorInstructions.store(code, place);
        }
    };

    /** How many bytes it has. */
    abstract int bytes();

    /** Puts a word on the stack; {@code place} puts its array and index there. */
    abstract void load(MethodVisitor code, Runnable place);

    /** Replaces the two words on the stack by their xor. */
    abstract void xor(MethodVisitor code);

    /** Stores the word that {@code value} puts on the stack; {@code place} puts the array and index there. */
    abstract void store(MethodVisitor code, Runnable place, Runnable value);
}
