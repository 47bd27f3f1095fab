/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.util.List;

/**
 * The general registers that the calling convention of Linux leaves to a kernel.
 *
 * @param stack where the stack ends
 * @param index the place in all units, and at the end the result; no pointer
 * @param arguments those that arguments arrive in: the length, then the addresses of units
 * @param pointers for the addresses of units, those of arguments first
 * @param free two that no argument is in
 * @param saved bytes between a kernel's frame and the arguments on the stack, of which {@link Assembler#save} takes most
 * @param unit what the size of a frame is a multiple of, in bytes
 */
record Convention(
        Register stack,
        Register index,
        List<Register> arguments,
        List<Register> pointers,
        List<Register> free,
        int saved,
        int unit) {
    /** Where the length is when a kernel begins. */
    Register length() {
        return arguments.get(0);
    }

    /** The units whose addresses arrive in registers. */
    int unitsInRegisters() {
        return arguments.size() - 1;
    }

    /** The size of a frame for so many bytes. */
    int frame(int bytes) {
        return (bytes + unit - 1) / unit * unit;
    }
}
