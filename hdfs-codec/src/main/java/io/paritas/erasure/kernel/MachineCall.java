/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.objectweb.asm.Opcodes.*;

import io.paritas.erasure.kernel.machine.MachineCode;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.MethodVisitor;

/**
 * A call of machine code with a number of units: a generated class, in which the handle of the call is a constant, so that
 * the JIT inlines it. Its source could not be compiled for Java 17, because it handles memory segments.
 */
interface MachineCall {
    /** Where the units of a call are. Memory segments that are made for the call vanish in the JIT. */
    enum Memory {
        /** All are in arrays. */
        ARRAYS,
        /** All are in byte buffers. Slices of segments, because the JIT does not get rid of slices of buffers. */
        BUFFERS
    }

    /** A kind of call: one class for each. */
    record Shape(int inputs, int outputs, Memory memory) {}

    /**
     * Runs the code.
     *
     * @param code memory segment of the code
     * @param inputs the array or the byte buffer of each input
     * @param inputOffsets where each input starts in it; a buffer's position is 0, and stays there; likewise the outputs
     * @param start start of the range in each unit
     * @param length bytes of the range: at least a step of the code
     * @return 0, or another number if the code noticed a mistake of its own
     */
    int run(
            Object code,
            Object[] inputs,
            int[] inputOffsets,
            Object[] outputs,
            int[] outputOffsets,
            int start,
            int length);

    /** Returns the calls of a shape; makes them at the first time, which takes tens of milliseconds. */
    static MachineCall of(Shape shape) {
        return Generated.CALLS.computeIfAbsent(shape, Generated::generate);
    }

    /** The generated classes. */
    final class Generated {
        private static final Map<Shape, MachineCall> CALLS = new ConcurrentHashMap<>();

        private static final String SEGMENT = "java/lang/foreign/MemorySegment";
        private static final String SEGMENT_TYPE = "L" + SEGMENT + ";";
        private static final String BUFFER = "java/nio/ByteBuffer";

        // The parameters of run, as local variables.
        private static final int CODE = 1;
        private static final int INPUTS = 2;
        private static final int OUTPUTS = 4;
        private static final int START = 6;
        private static final int LENGTH = 7;

        private Generated() {}

        private static MachineCall generate(Shape shape) {
            return GeneratedClass.define(
                    MethodHandles.lookup(),
                    MachineCall.class,
                    "run",
                    "(Ljava/lang/Object;[Ljava/lang/Object;[I[Ljava/lang/Object;[III)I",
                    MachineCode.function(shape.inputs + shape.outputs),
                    code -> write(shape, code));
        }

        private static void write(Shape shape, MethodVisitor code) {
            GeneratedClass.loadData(code, MethodHandle.class);
            code.visitVarInsn(ALOAD, CODE);
            code.visitTypeInsn(CHECKCAST, SEGMENT);
            code.visitVarInsn(ILOAD, LENGTH);
            code.visitInsn(I2L);
            writeUnits(shape.memory, INPUTS, shape.inputs, code);
            writeUnits(shape.memory, OUTPUTS, shape.outputs, code);
            code.visitMethodInsn(
                    INVOKEVIRTUAL,
                    "java/lang/invoke/MethodHandle",
                    "invokeExact",
                    "(" + SEGMENT_TYPE + "J" + SEGMENT_TYPE.repeat(shape.inputs + shape.outputs) + ")I",
                    false);
            code.visitInsn(IRETURN);
        }

        /** @param units the variable of the arrays or buffers; that of their offsets follows */
        private static void writeUnits(Memory memory, int units, int count, MethodVisitor code) {
            for (int unit = 0; unit < count; unit++) {
                code.visitVarInsn(ALOAD, units);
                code.visitIntInsn(BIPUSH, unit);
                code.visitInsn(AALOAD);
                if (memory == Memory.ARRAYS) {
                    code.visitTypeInsn(CHECKCAST, "[B");
                    code.visitMethodInsn(INVOKESTATIC, SEGMENT, "ofArray", "([B)" + SEGMENT_TYPE, true);
                    writePlace(units + 1, unit, code);
                    code.visitInsn(I2L);
                    code.visitMethodInsn(INVOKEINTERFACE, SEGMENT, "asSlice", "(J)" + SEGMENT_TYPE, true);
                } else {
                    code.visitTypeInsn(CHECKCAST, BUFFER);
                    code.visitMethodInsn(INVOKESTATIC, SEGMENT, "ofBuffer", "(Ljava/nio/Buffer;)" + SEGMENT_TYPE, true);
                    writePlace(units + 1, unit, code);
                    code.visitInsn(I2L);
                    code.visitVarInsn(ILOAD, LENGTH);
                    code.visitInsn(I2L);
                    code.visitMethodInsn(INVOKEINTERFACE, SEGMENT, "asSlice", "(JJ)" + SEGMENT_TYPE, true);
                }
            }
        }

        private static void writePlace(int offsets, int unit, MethodVisitor code) {
            code.visitVarInsn(ALOAD, offsets);
            code.visitIntInsn(BIPUSH, unit);
            code.visitInsn(IALOAD);
            code.visitVarInsn(ILOAD, START);
            code.visitInsn(IADD);
        }
    }
}
