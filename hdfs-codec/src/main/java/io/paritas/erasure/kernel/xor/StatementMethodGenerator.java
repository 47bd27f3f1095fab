/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.objectweb.asm.Opcodes.*;

import io.paritas.erasure.kernel.bytecode.GeneratedClass;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Writes the class of a {@link StatementMethod}: one loop for each number of arguments. Every argument is read once, the
 * target is written once.
 *
 * <pre>
 * switch (code[at]) {
 *     case 2:
 *         target = arrays[code[at + 1]], targetPlace = offsets[code[at + 1]], a = ...
 *         for (x = 0; x &lt;= length - WORD; x += WORD) {
 *             store(target, targetPlace + x, load(a, aPlace + x) ^ load(b, bPlace + x));
 *         }
 *         return x;
 *     ...
 * }
 * </pre>
 *
 * <p>C2 makes one instruction of two xors where the machine has it (vpternlogd, AVX-512). All loops are in one method, so
 * that a call has one receiver: a class for each number of arguments is up to 8 % slower than this on blocks of 512 bytes.
 */
final class StatementMethodGenerator {
    /** Local variables of the generated method: first its parameters. */
    private static final int CODE = 1;

    private static final int AT = 2;
    private static final int ARRAYS = 3;
    private static final int OFFSETS = 4;
    private static final int LENGTH = 5;
    private static final int X = 6;
    private static final int BLOCK = 7;
    private static final int FIRST_FREE = 8;

    private final Word word;
    private final MethodVisitor code;

    private StatementMethodGenerator(Word word, MethodVisitor code) {
        this.word = word;
        this.code = code;
    }

    /** Generates the code for words of this kind. */
    static StatementMethod generate(Word word) {
        return GeneratedClass.define(
                MethodHandles.lookup(),
                StatementMethod.class,
                "run",
                "([II[[B[II)I",
                code -> new StatementMethodGenerator(word, code).write());
    }

    private void write() {
        Label[] cases = new Label[BlockProgram.MAX_ARGUMENTS];
        Arrays.setAll(cases, i -> new Label());
        code.visitVarInsn(ALOAD, CODE);
        code.visitVarInsn(ILOAD, AT);
        code.visitInsn(IALOAD);
        code.visitTableSwitchInsn(1, cases.length, cases[cases.length - 1], cases);
        for (int arguments = 1; arguments <= cases.length; arguments++) {
            code.visitLabel(cases[arguments - 1]);
            writeLoop(arguments);
        }
    }

    private void writeLoop(int arguments) {
        for (int block = 0; block <= arguments; block++) {
            writeBlock(block);
        }
        code.visitInsn(ICONST_0);
        code.visitVarInsn(ISTORE, X);
        code.visitIincInsn(LENGTH, -word.bytes());
        Label condition = new Label();
        Label body = new Label();
        code.visitJumpInsn(GOTO, condition);
        code.visitLabel(body);
        word.store(code, () -> writePlace(0), () -> writeSum(arguments));
        code.visitIincInsn(X, word.bytes());
        code.visitLabel(condition);
        code.visitVarInsn(ILOAD, X);
        code.visitVarInsn(ILOAD, LENGTH);
        code.visitJumpInsn(IF_ICMPLE, body);
        code.visitVarInsn(ILOAD, X);
        code.visitInsn(IRETURN);
    }

    /** Fetches the array of a block, the target (0) or an argument, and its place in it. */
    private void writeBlock(int block) {
        code.visitVarInsn(ALOAD, CODE);
        code.visitVarInsn(ILOAD, AT);
        code.visitIntInsn(BIPUSH, 1 + block);
        code.visitInsn(IADD);
        code.visitInsn(IALOAD);
        code.visitVarInsn(ISTORE, BLOCK);
        code.visitVarInsn(ALOAD, ARRAYS);
        code.visitVarInsn(ILOAD, BLOCK);
        code.visitInsn(AALOAD);
        code.visitVarInsn(ASTORE, array(block));
        code.visitVarInsn(ALOAD, OFFSETS);
        code.visitVarInsn(ILOAD, BLOCK);
        code.visitInsn(IALOAD);
        code.visitVarInsn(ISTORE, array(block) + 1);
    }

    private void writeSum(int arguments) {
        for (int argument = 1; argument <= arguments; argument++) {
            int block = argument;
            word.load(code, () -> writePlace(block));
            if (argument > 1) {
                word.xor(code);
            }
        }
    }

    private void writePlace(int block) {
        code.visitVarInsn(ALOAD, array(block));
        code.visitVarInsn(ILOAD, array(block) + 1);
        code.visitVarInsn(ILOAD, X);
        code.visitInsn(IADD);
    }

    /** The local variable of a block's array; the next one is its place. */
    private static int array(int block) {
        return FIRST_FREE + 2 * block;
    }
}
