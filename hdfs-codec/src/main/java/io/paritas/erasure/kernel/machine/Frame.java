/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Memory.At;
import java.util.Arrays;

/**
 * The general registers and the stack of a kernel, by the System V calling convention: where the units are, and room for what has no
 * register. Every unit has a general register for its address as long as there are any; {@link #INDEX} is the place in all units.
 */
final class Frame {
    static final Register INDEX = Register.RAX;

    private static final Register[] POINTERS = {
        Register.RSI, Register.RDX, Register.RCX, Register.R8, Register.R9, Register.R10, Register.R11,
        Register.RBX, Register.RBP, Register.R12, Register.R13, Register.R14, Register.R15, Register.RDI
    };
    /** The units whose addresses arrive in registers; the first argument is the length. */
    private static final int IN_REGISTERS = 5;

    private static final Register[] SAVED = {
        Register.RBX, Register.RBP, Register.R12, Register.R13, Register.R14, Register.R15
    };
    /** Holds the address of a unit that has no register; where each has one, a unit's. */
    private static final Register SCRATCH = Register.RDI;

    /** Where vectors start that the code asks for. */
    enum Place {
        /** The first one that is aligned. */
        FIRST,
        /** The last one of the loop. */
        LAST,
        /** The last one of all. */
        END
    }

    private final Assembler code;
    private final int units;
    private final int vector;
    /** The bytes of folds at the bottom of the frame; the places lie above. */
    private final int foldBytes;

    private final int size;
    private int scratchUnit = -1;

    /** @param folds the units that have a fold: all or none */
    Frame(Assembler code, int units, int folds) {
        this.code = code;
        this.units = units;
        this.vector = code.width().bytes;
        this.foldBytes = folds * vector;
        this.size = foldBytes + Place.values().length * Long.BYTES;
    }

    /** Makes room, finds the places of a length, and loads the addresses that come on the stack. */
    void enter() {
        Arrays.stream(SAVED).forEach(code::push);
        code.subtract(Register.RSP, size).mov(INDEX, Register.RDI);
        findPlaces();
        for (int unit = IN_REGISTERS; unit < units && hasPointer(unit); unit++) {
            code.load(POINTERS[unit], argument(unit));
        }
    }

    /** The index is the length now, and the registers of pointers that come on the stack are still free. */
    private void findPlaces() {
        Register first = Register.RBX;
        Register last = Register.RBP;
        code.subtract(INDEX, vector).store(at(Place.END), INDEX);
        code.mov(first, POINTERS[0]).negate(first).and(first, vector - 1).store(at(Place.FIRST), first);
        code.mov(last, INDEX).subtract(last, first).and(last, -vector).add(last, first);
        code.store(at(Place.LAST), last);
    }

    void leave() {
        code.leaveVectors().add(Register.RSP, size);
        for (int i = SAVED.length - 1; i >= 0; i--) {
            code.pop(SAVED[i]);
        }
        code.ret();
    }

    At at(Place place) {
        return new At(Register.RSP, null, foldBytes + place.ordinal() * Long.BYTES);
    }

    /** Where a unit's fold is if it has no register. */
    At fold(int unit) {
        return new At(Register.RSP, null, unit * vector);
    }

    /** An argument that arrived on the stack: above the frame, the saved registers and the return address. */
    private At argument(int unit) {
        return new At(Register.RSP, null, size + Long.BYTES * (SAVED.length + 1 + unit - IN_REGISTERS));
    }

    private boolean hasPointer(int unit) {
        return unit < (units <= POINTERS.length ? POINTERS.length : POINTERS.length - 1);
    }

    /** The current vector of a unit, or one at some distance. */
    At unit(int unit, int distance) {
        if (hasPointer(unit)) {
            return new At(POINTERS[unit], INDEX, distance);
        }
        if (scratchUnit != unit) {
            code.load(SCRATCH, argument(unit));
            scratchUnit = unit;
        }
        return new At(SCRATCH, INDEX, distance);
    }

    /** Where code begins or ends that is jumped to or from, nobody knows whose address was loaded last. */
    void forgetAddress() {
        scratchUnit = -1;
    }
}
