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
    /** How a call finds the units. Segments of arrays that are made for the call vanish in the JIT. */
    enum Memory {
        /** All units are in arrays. */
        ARRAYS,
        /** All units are memory segments. */
        SEGMENTS
    }

    /** A kind of call: one class for each. */
    record Shape(int units, Memory memory) {}

    /**
     * Runs the code.
     *
     * @param code memory segment of the code
     * @param units the array or the memory segment of each unit, inputs first
     * @param offsets where each unit starts in it
     * @param start start of the range in each unit
     * @param length bytes of the range: whole steps of the code, at least one
     * @return 0, or another number if the code noticed a mistake of its own
     */
    int run(Object code, Object[] units, int[] offsets, int start, int length);

    /** Returns the calls of a shape; makes them at the first time, which takes tens of milliseconds. */
    static MachineCall of(Shape shape) {
        return Generated.CALLS.computeIfAbsent(shape, Generated::generate);
    }

    /** The generated classes. */
    final class Generated {
        private static final Map<Shape, MachineCall> CALLS = new ConcurrentHashMap<>();

        private static final String SEGMENT = "java/lang/foreign/MemorySegment";
        private static final String SEGMENT_TYPE = "L" + SEGMENT + ";";

        // The parameters of run, as local variables.
        private static final int CODE = 1;
        private static final int UNITS = 2;
        private static final int OFFSETS = 3;
        private static final int START = 4;
        private static final int LENGTH = 5;

        private Generated() {}

        private static MachineCall generate(Shape shape) {
            return GeneratedClass.define(
                    MethodHandles.lookup(),
                    MachineCall.class,
                    "run",
                    "(Ljava/lang/Object;[Ljava/lang/Object;[III)I",
                    MachineCode.function(shape.units),
                    code -> write(shape, code));
        }

        private static void write(Shape shape, MethodVisitor code) {
            GeneratedClass.loadData(code, MethodHandle.class);
            code.visitVarInsn(ALOAD, CODE);
            code.visitTypeInsn(CHECKCAST, SEGMENT);
            code.visitVarInsn(ILOAD, LENGTH);
            code.visitInsn(I2L);
            for (int unit = 0; unit < shape.units; unit++) {
                writeUnit(shape.memory, unit, code);
            }
            code.visitMethodInsn(
                    INVOKEVIRTUAL,
                    "java/lang/invoke/MethodHandle",
                    "invokeExact",
                    "(" + SEGMENT_TYPE + "J" + SEGMENT_TYPE.repeat(shape.units) + ")I",
                    false);
            code.visitInsn(IRETURN);
        }

        private static void writeUnit(Memory memory, int unit, MethodVisitor code) {
            code.visitVarInsn(ALOAD, UNITS);
            code.visitIntInsn(BIPUSH, unit);
            code.visitInsn(AALOAD);
            if (memory == Memory.ARRAYS) {
                code.visitTypeInsn(CHECKCAST, "[B");
                code.visitMethodInsn(INVOKESTATIC, SEGMENT, "ofArray", "([B)" + SEGMENT_TYPE, true);
            } else {
                code.visitTypeInsn(CHECKCAST, SEGMENT);
            }
            code.visitVarInsn(ALOAD, OFFSETS);
            code.visitIntInsn(BIPUSH, unit);
            code.visitInsn(IALOAD);
            code.visitVarInsn(ILOAD, START);
            code.visitInsn(IADD);
            code.visitInsn(I2L);
            code.visitMethodInsn(INVOKEINTERFACE, SEGMENT, "asSlice", "(J)" + SEGMENT_TYPE, true);
        }
    }
}
