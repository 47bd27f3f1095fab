/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A call of machine code with a number of units. Thread-safe. */
public interface MachineCall {
    /** Where the units of a call are. */
    enum Memory {
        /** All are in arrays. Only where code {@linkplain MachineCode#takesArrays takes} them. */
        ARRAYS,
        /** All are in byte buffers, which are direct unless code takes arrays. */
        BUFFERS
    }

    /** A kind of call: one class for each. */
    record Shape(int inputs, int outputs, Memory memory) {
        private static final Map<List<Object>, MachineCall> CALLS = new ConcurrentHashMap<>();

        /** Equal for equal shapes. Java 17 keeps the class loader of what it has hashed as a record for ever. */
        private List<Object> key() {
            return List.of(inputs, outputs, memory);
        }
    }

    /**
     * Runs the code.
     *
     * @param code {@linkplain MachineCode#memory memory} of the code
     * @param inputs the array or the byte buffer of each input
     * @param inputOffsets where each input starts in it; likewise the outputs. A buffer's position is 0, and stays there, where code
     *     {@linkplain MachineCode#takesArrays takes} arrays
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
        return Shape.CALLS.computeIfAbsent(shape.key(), key -> Foreign.newCall(shape));
    }
}
