/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.objectweb.asm.Opcodes.*;

import io.paritas.erasure.kernel.bytecode.GeneratedClass;
import java.lang.invoke.MethodHandles;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Writes a {@link MaskProduct} for a number of rows and of vectors of each row. All sums are local variables.
 *
 * <pre>
 * for (x = from; x &lt;= length - vectors * LANES; x += vectors * LANES) {
 *     y00 = y01 = y10 = ... = 0;
 *     for (i = 0; i &lt; inputs; i++) {
 *         v0 = load(blocks[first + i], offsets[first + i] + x), v1 = ...
 *         y00 ^= v0 &amp; masks[i * rows], y01 ^= v1 &amp; masks[i * rows], ...
 *     }
 *     store y00, ...
 * }
 * </pre>
 */
final class MaskProductGenerator {
    private static final String OPERANDS_CLASS = "io/paritas/erasure/kernel/xor/MaskProduct$Operands";

    /** Local variables of the generated method: first its parameters. */
    private static final int OPERANDS = 1;

    private static final int BLOCKS = 2;
    private static final int OFFSETS = 3;
    private static final int X = 4;
    private static final int LIMIT = 5;
    private static final int MASKS = 6;
    private static final int FIRST = 7;
    private static final int END = 8;
    private static final int TARGET = 9;
    private static final int INPUT = 10;
    private static final int MASK = 11;
    private static final int ARRAY = 12;
    private static final int PLACE = 13;
    private static final int MASK_VECTOR = 14;
    private static final int FIRST_VECTOR = 15;

    private final int rows;
    private final int vectors;
    private final int lanes;
    private final MethodVisitor code;

    private MaskProductGenerator(int rows, int vectors, int lanes, MethodVisitor code) {
        this.rows = rows;
        this.vectors = vectors;
        this.lanes = lanes;
        this.code = code;
    }

    /**
     * Generates the product.
     *
     * @param home lookup of {@link WidestVector}
     * @param lanes bytes of one of its vectors
     */
    static MaskProduct generate(MethodHandles.Lookup home, int rows, int vectors, int lanes) {
        return GeneratedClass.define(
                home,
                MaskProduct.class,
                "apply",
                "(L" + OPERANDS_CLASS + ";[[B[III)I",
                code -> new MaskProductGenerator(rows, vectors, lanes, code).write());
    }

    private void write() {
        writeOperand("masks", "[I");
        code.visitVarInsn(ASTORE, MASKS);
        writeOperand("target", "I");
        code.visitVarInsn(ISTORE, TARGET);
        writeOperand("first", "I");
        code.visitInsn(DUP);
        code.visitVarInsn(ISTORE, FIRST);
        writeOperand("inputs", "I");
        code.visitInsn(IADD);
        code.visitVarInsn(ISTORE, END);
        code.visitIincInsn(LIMIT, -vectors * lanes);
        loop(this::writeBody, X, LIMIT, IF_ICMPLE);
        code.visitVarInsn(ILOAD, X);
        code.visitInsn(IRETURN);
    }

    private void writeOperand(String name, String type) {
        code.visitVarInsn(ALOAD, OPERANDS);
        code.visitMethodInsn(INVOKEVIRTUAL, OPERANDS_CLASS, name, "()" + type, false);
    }

    private void loop(Runnable body, int counter, int limit, int comparison) {
        Label condition = new Label();
        Label start = new Label();
        code.visitJumpInsn(GOTO, condition);
        code.visitLabel(start);
        body.run();
        code.visitLabel(condition);
        code.visitVarInsn(ILOAD, counter);
        code.visitVarInsn(ILOAD, limit);
        code.visitJumpInsn(comparison, start);
    }

    private void writeBody() {
        for (int sum = 0; sum < rows * vectors; sum++) {
            VectorInstructions.zero(code);
            code.visitVarInsn(ASTORE, FIRST_VECTOR + vectors + sum);
        }
        code.visitInsn(ICONST_0);
        code.visitVarInsn(ISTORE, MASK);
        code.visitVarInsn(ILOAD, FIRST);
        code.visitVarInsn(ISTORE, INPUT);
        loop(this::writeInput, INPUT, END, IF_ICMPLT);
        for (int row = 0; row < rows; row++) {
            int block = row;
            writePlace(() -> {
                code.visitVarInsn(ILOAD, TARGET);
                code.visitIntInsn(BIPUSH, block);
                code.visitInsn(IADD);
            });
            for (int vector = 0; vector < vectors; vector++) {
                int step = vector;
                code.visitVarInsn(ALOAD, sum(row, vector));
                VectorInstructions.store(code, () -> writeIndex(step));
            }
        }
        code.visitIincInsn(X, vectors * lanes);
    }

    private void writeInput() {
        writePlace(() -> code.visitVarInsn(ILOAD, INPUT));
        for (int vector = 0; vector < vectors; vector++) {
            int step = vector;
            VectorInstructions.load(code, () -> writeIndex(step));
            code.visitVarInsn(ASTORE, FIRST_VECTOR + vector);
        }
        for (int row = 0; row < rows; row++) {
            int mask = row;
            VectorInstructions.broadcast(code, () -> {
                code.visitVarInsn(ALOAD, MASKS);
                code.visitVarInsn(ILOAD, MASK);
                code.visitIntInsn(BIPUSH, mask);
                code.visitInsn(IADD);
                code.visitInsn(IALOAD);
            });
            code.visitVarInsn(ASTORE, MASK_VECTOR);
            for (int vector = 0; vector < vectors; vector++) {
                code.visitVarInsn(ALOAD, FIRST_VECTOR + vector);
                code.visitVarInsn(ALOAD, MASK_VECTOR);
                VectorInstructions.and(code);
                code.visitVarInsn(ALOAD, sum(row, vector));
                VectorInstructions.xor(code);
                code.visitVarInsn(ASTORE, sum(row, vector));
            }
        }
        code.visitIincInsn(MASK, rows);
        code.visitIincInsn(INPUT, 1);
    }

    private int sum(int row, int vector) {
        return FIRST_VECTOR + vectors + row * vectors + vector;
    }

    /** Fetches the array of a block, and the loop's place in it. */
    private void writePlace(Runnable block) {
        code.visitVarInsn(ALOAD, BLOCKS);
        block.run();
        code.visitInsn(AALOAD);
        code.visitVarInsn(ASTORE, ARRAY);
        code.visitVarInsn(ALOAD, OFFSETS);
        block.run();
        code.visitInsn(IALOAD);
        code.visitVarInsn(ILOAD, X);
        code.visitInsn(IADD);
        code.visitVarInsn(ISTORE, PLACE);
    }

    private void writeIndex(int vector) {
        code.visitVarInsn(ALOAD, ARRAY);
        code.visitVarInsn(ILOAD, PLACE);
        code.visitIntInsn(SIPUSH, vector * lanes);
        code.visitInsn(IADD);
    }
}
