/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Memory.At;
import java.util.List;

/**
 * The general registers and the stack of a kernel, by the {@link Convention}: where the units are, and room for what has no
 * register. Every unit has a general register for its address as long as there are any; the {@link #index} is the place in all units.
 */
final class Frame {
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
    private final Convention convention;
    private final List<Register> pointers;
    private final Register stack;
    private final Register index;
    private final int units;
    private final int vector;
    /** The bytes of folds at the bottom of the frame; the places lie above. */
    private final int foldBytes;

    private final int size;
    private int scratchUnit = -1;

    /** @param folds the units that have a fold: all or none */
    Frame(Assembler code, Convention convention, int units, int folds) {
        this.code = code;
        this.convention = convention;
        this.pointers = convention.pointers();
        this.stack = convention.stack();
        this.index = convention.index();
        this.units = units;
        this.vector = code.width().bytes;
        this.foldBytes = folds * vector;
        this.size = convention.frame(foldBytes + Place.values().length * Long.BYTES);
    }

    /** Makes room, finds the places of a length, and loads the addresses that come on the stack. */
    void enter() {
        code.save().subtract(stack, size).mov(index, convention.length());
        findPlaces();
        for (int unit = convention.unitsInRegisters(); unit < units && hasPointer(unit); unit++) {
            code.load(pointers.get(unit), argument(unit));
        }
    }

    /** The index is the length now. */
    private void findPlaces() {
        Register first = convention.free().get(0);
        Register last = convention.free().get(1);
        code.subtract(index, vector).store(at(Place.END), index);
        code.mov(first, pointers.get(0)).negate(first).and(first, vector - 1).store(at(Place.FIRST), first);
        code.mov(last, index).subtract(last, first).and(last, -vector).add(last, first);
        code.store(at(Place.LAST), last);
    }

    void leave() {
        code.add(stack, size).restore().ret();
    }

    /** The place in all units; before a kernel ends, its result. */
    Register index() {
        return index;
    }

    At at(Place place) {
        return new At(stack, null, foldBytes + place.ordinal() * Long.BYTES);
    }

    /** Where a unit's fold is if it has no register. */
    At fold(int unit) {
        return new At(stack, null, unit * vector);
    }

    /** An argument that arrived on the stack. */
    private At argument(int unit) {
        return new At(stack, null, size + convention.saved() + Long.BYTES * (unit - convention.unitsInRegisters()));
    }

    private boolean hasPointer(int unit) {
        return unit < (units <= pointers.size() ? pointers.size() : pointers.size() - 1);
    }

    /** The current vector of a unit, or one at some distance. */
    At unit(int unit, int distance) {
        if (hasPointer(unit)) {
            return new At(pointers.get(unit), index, distance);
        }
        // The last pointer serves all units that have none of their own.
        Register scratch = pointers.get(pointers.size() - 1);
        if (scratchUnit != unit) {
            code.load(scratch, argument(unit));
            scratchUnit = unit;
        }
        return new At(scratch, index, distance);
    }

    /** Where code begins or ends that is jumped to or from, nobody knows whose address was loaded last. */
    void forgetAddress() {
        scratchUnit = -1;
    }
}
