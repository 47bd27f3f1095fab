/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.objectweb.asm.Opcodes.*;

import io.paritas.erasure.kernel.bytecode.GeneratedClass;
import java.lang.invoke.MethodHandles;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * Writes the class of one {@link PacketChunk}: a loop over the groups, whose body is the chunk's statements as straight-line
 * calls of the Vector API.
 *
 * <pre>
 * while (groups-- &gt; 0) {
 *     v3 = load(unit0, place0 + 3 * PACKET); ... // at its first use
 *     v9 = v3 ^ v4 ^ v7; ...
 *     store v9 to (unit1, place1 + 1 * PACKET); ... // only what is needed after the chunk
 *     place0 += w * PACKET; ...
 * }
 * </pre>
 *
 * <p>Each packet is read at most once. Values used only inside the chunk never go to memory unless the compiler runs out of
 * registers. The packets of a unit's group are at constant distances from one place, which saves the registers that strips
 * far apart would take.
 */
final class PacketChunkGenerator {
    /** Local variables of the generated method: first its parameters. */
    private static final int ARRAYS = 1;

    private static final int OFFSETS = 2;
    private static final int GROUPS = 3;
    private static final int X = 4;
    private static final int SCRATCH_X = 5;
    private static final int FIRST_FREE = 6;

    private final List<Statement> statements;
    private final BitSet liveAfter;
    private final PacketLayout layout;
    private final MethodVisitor code;

    private int locals = FIRST_FREE;
    /** The local variable of each block's vector. */
    private final Map<Integer, Integer> vectors = new HashMap<>();
    /** The local variable of each array; the next one is its offset. */
    private final Map<Integer, Integer> arrays = new TreeMap<>();
    /** The blocks whose value is in their vector's local variable. */
    private final BitSet loaded = new BitSet();

    private PacketChunkGenerator(
            List<Statement> statements, BitSet liveAfter, PacketLayout layout, MethodVisitor code) {
        this.statements = statements;
        this.liveAfter = liveAfter;
        this.layout = layout;
        this.code = code;
    }

    /**
     * Generates the code of some statements.
     *
     * @param home lookup of {@link WidestVector}
     * @param liveAfter blocks whose value is needed after these statements
     */
    static PacketChunk generate(
            MethodHandles.Lookup home, List<Statement> statements, BitSet liveAfter, PacketLayout layout) {
        return GeneratedClass.define(home, PacketChunk.class, "apply", "([[B[II)V", code -> new PacketChunkGenerator(
                        statements, liveAfter, layout, code)
                .write());
    }

    private void write() {
        allotLocals();
        writeInvariants();
        Label condition = new Label();
        Label body = new Label();
        code.visitJumpInsn(GOTO, condition);
        code.visitLabel(body);
        for (int i = 0; i < statements.size(); i++) {
            writeStatement(i);
        }
        writeIncrement(X, layout.groupBytes());
        writeIncrement(SCRATCH_X, layout.scratchBytes());
        code.visitLabel(condition);
        code.visitVarInsn(ILOAD, X);
        code.visitVarInsn(ILOAD, GROUPS);
        code.visitJumpInsn(IF_ICMPLT, body);
        code.visitInsn(RETURN);
    }

    private void writeIncrement(int local, int by) {
        code.visitVarInsn(ILOAD, local);
        code.visitLdcInsn(by);
        code.visitInsn(IADD);
        code.visitVarInsn(ISTORE, local);
    }

    private void allotLocals() {
        for (Statement statement : statements) {
            for (int argument : statement.arguments()) {
                allot(argument);
            }
            allot(statement.target());
        }
    }

    private void allot(int block) {
        vectors.computeIfAbsent(block, missing -> locals++);
        arrays.computeIfAbsent(layout.array(block), missing -> {
            locals += 2;
            return locals - 2;
        });
    }

    /** {@code groups} becomes the end of {@code x}, in bytes. */
    private void writeInvariants() {
        code.visitVarInsn(ILOAD, GROUPS);
        code.visitLdcInsn(layout.groupBytes());
        code.visitInsn(IMUL);
        code.visitVarInsn(ISTORE, GROUPS);
        code.visitInsn(ICONST_0);
        code.visitVarInsn(ISTORE, X);
        code.visitInsn(ICONST_0);
        code.visitVarInsn(ISTORE, SCRATCH_X);
        arrays.forEach((array, local) -> {
            code.visitVarInsn(ALOAD, ARRAYS);
            code.visitIntInsn(SIPUSH, array);
            code.visitInsn(AALOAD);
            code.visitVarInsn(ASTORE, local);
            code.visitVarInsn(ALOAD, OFFSETS);
            code.visitIntInsn(SIPUSH, array);
            code.visitInsn(IALOAD);
            code.visitVarInsn(ISTORE, local + 1);
        });
    }

    private void writeStatement(int index) {
        Statement statement = statements.get(index);
        for (int i = 0; i < statement.arguments().length; i++) {
            int argument = statement.arguments()[i];
            if (loaded.get(argument)) {
                code.visitVarInsn(ALOAD, vectors.get(argument));
            } else {
                VectorInstructions.load(code, () -> writePlace(argument));
                if (isReadBeforeItIsWritten(argument, index + 1)) {
                    code.visitInsn(DUP);
                    code.visitVarInsn(ASTORE, vectors.get(argument));
                    loaded.set(argument);
                }
            }
            if (i > 0) {
                VectorInstructions.xor(code);
            }
        }
        writeResult(statement.target(), index + 1);
    }

    private void writeResult(int target, int next) {
        boolean readAgain = isReadBeforeItIsWritten(target, next);
        boolean stored = liveAfter.get(target) && !isWritten(target, next);
        loaded.set(target, readAgain);
        if (readAgain) {
            if (stored) {
                code.visitInsn(DUP);
            }
            code.visitVarInsn(ASTORE, vectors.get(target));
        }
        if (stored) {
            VectorInstructions.store(code, () -> writePlace(target));
        } else if (!readAgain) {
            code.visitInsn(POP);
        }
    }

    private boolean isReadBeforeItIsWritten(int block, int from) {
        for (Statement statement : statements.subList(from, statements.size())) {
            for (int argument : statement.arguments()) {
                if (argument == block) {
                    return true;
                }
            }
            if (statement.target() == block) {
                return false;
            }
        }
        return false;
    }

    private boolean isWritten(int block, int from) {
        return statements.subList(from, statements.size()).stream().anyMatch(statement -> statement.target() == block);
    }

    private void writePlace(int block) {
        int array = arrays.get(layout.array(block));
        code.visitVarInsn(ALOAD, array);
        code.visitVarInsn(ILOAD, array + 1);
        code.visitVarInsn(ILOAD, layout.isScratch(block) ? SCRATCH_X : X);
        code.visitInsn(IADD);
        int distance = layout.distance(block);
        if (distance <= Short.MAX_VALUE) {
            code.visitIntInsn(SIPUSH, distance);
        } else {
            code.visitLdcInsn(distance);
        }
        code.visitInsn(IADD);
    }
}
