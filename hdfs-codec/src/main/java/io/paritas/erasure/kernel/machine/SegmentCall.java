/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import static org.objectweb.asm.Opcodes.*;

import io.paritas.erasure.kernel.bytecode.GeneratedClass;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import org.objectweb.asm.MethodVisitor;

/**
 * Writes calls from Java 21 on: a class for each shape, in which the handle of the call is a constant, so that the JIT inlines it. Its
 * source could not be compiled for Java 17, because it handles memory segments. Those that are made for a call vanish in the JIT.
 */
final class SegmentCall {
    private static final String SEGMENT = "java/lang/foreign/MemorySegment";
    private static final String SEGMENT_TYPE = "L" + SEGMENT + ";";
    private static final String BUFFER = "java/nio/ByteBuffer";

    // The parameters of run, as local variables.
    private static final int CODE = 1;
    private static final int INPUTS = 2;
    private static final int OUTPUTS = 4;
    private static final int START = 6;
    private static final int LENGTH = 7;

    private SegmentCall() {}

    static MachineCall generate(MachineCall.Shape shape, SegmentForeign foreign) {
        Class<?>[] parameters = new Class<?>[1 + shape.inputs() + shape.outputs()];
        Arrays.fill(parameters, Object.class);
        parameters[0] = long.class;
        return GeneratedClass.define(
                MethodHandles.lookup(),
                MachineCall.class,
                "run",
                "(Ljava/lang/Object;[Ljava/lang/Object;[I[Ljava/lang/Object;[III)I",
                foreign.function(int.class, parameters),
                code -> write(shape, code));
    }

    private static void write(MachineCall.Shape shape, MethodVisitor code) {
        GeneratedClass.loadData(code, MethodHandle.class);
        code.visitVarInsn(ALOAD, CODE);
        code.visitTypeInsn(CHECKCAST, SEGMENT);
        code.visitVarInsn(ILOAD, LENGTH);
        code.visitInsn(I2L);
        writeUnits(shape.memory(), INPUTS, shape.inputs(), code);
        writeUnits(shape.memory(), OUTPUTS, shape.outputs(), code);
        code.visitMethodInsn(
                INVOKEVIRTUAL,
                "java/lang/invoke/MethodHandle",
                "invokeExact",
                "(" + SEGMENT_TYPE + "J" + SEGMENT_TYPE.repeat(shape.inputs() + shape.outputs()) + ")I",
                false);
        code.visitInsn(IRETURN);
    }

    /**
     * Slices of segments, because the JIT does not get rid of slices of buffers.
     *
     * @param units the variable of the arrays or buffers; that of their offsets follows
     */
    private static void writeUnits(MachineCall.Memory memory, int units, int count, MethodVisitor code) {
        for (int unit = 0; unit < count; unit++) {
            code.visitVarInsn(ALOAD, units);
            code.visitIntInsn(BIPUSH, unit);
            code.visitInsn(AALOAD);
            if (memory == MachineCall.Memory.ARRAYS) {
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
