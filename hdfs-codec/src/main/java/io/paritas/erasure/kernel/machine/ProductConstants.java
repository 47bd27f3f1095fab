/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Memory.Constant;
import io.paritas.erasure.kernel.machine.ProductProgram.LookUp;
import io.paritas.erasure.kernel.machine.ProductProgram.Statement;
import io.paritas.erasure.kernel.machine.ProductProgram.Times;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** The constants of products behind a kernel's code: matrices of bits, or tables of 16 bytes, in the form that the tier loads. */
record ProductConstants(Assembler code, Tier tier) {
    /** All those of a program, in the order of their first use. */
    Set<Constant> of(ProductProgram program) {
        Set<Constant> constants = new LinkedHashSet<>();
        for (Statement statement : program.statements()) {
            if (statement instanceof Times times) {
                constants.add(matrix(times));
            } else if (statement instanceof LookUp lookUp) {
                constants.add(table(lookUp));
            }
        }
        return constants;
    }

    /** One matrix, or, for an instruction that copies none, a vector of it. */
    Constant matrix(Times times) {
        byte[] matrix = Bytes.matrix(times.constant());
        if (copies()) {
            return code.constant(matrix);
        }
        byte[] repeated = new byte[tier.width.bytes];
        for (int i = 0; i < repeated.length; i++) {
            repeated[i] = matrix[i % matrix.length];
        }
        return code.constant(repeated);
    }

    Constant table(LookUp lookUp) {
        return code.constant(Bytes.table(lookUp.constant(), lookUp.isUpper() ? 4 : 0, tier.width.bytes));
    }

    /** Loads what has a register. */
    void load(VectorRegisters vectors) {
        if (!tier.hasProducts) {
            code.load(vectors.nibbleMask(), nibbleMask());
        }
        vectors.constants().forEach((constant, register) -> load(register, constant));
    }

    private Constant nibbleMask() {
        byte[] mask = new byte[tier.width.bytes];
        Arrays.fill(mask, (byte) 0x0f);
        return code.constant(mask);
    }

    private void load(int register, Constant constant) {
        if (tier.hasProducts && copies()) {
            code.broadcast(register, constant);
        } else {
            code.load(register, constant);
        }
    }

    /**
     * Compares what a program has been computed with, in registers and behind the code, with copies that nothing else reads. The
     * check's own computation takes the same constants, and finds nothing wrong if one of them is.
     *
     * @param sum gets the bits that differ, beside those that it has
     * @param next is overwritten, and {@code other}, too
     */
    void compare(ProductProgram program, VectorRegisters vectors, int sum, int next, int other) {
        if (!tier.hasProducts) {
            compare(vectors.nibbleMask(), nibbleMask(), sum, next);
        }
        for (Constant constant : of(program)) {
            Optional<Integer> register = vectors.constant(constant);
            if (register.isEmpty()) {
                load(other, constant);
            }
            compare(register.orElse(other), constant, sum, next);
        }
    }

    private void compare(int register, Constant constant, int sum, int next) {
        load(next, code.copy(constant));
        code.xor(next, next, register).or(sum, sum, next);
    }

    /** Whether instructions repeat 8 bytes over a vector. */
    private boolean copies() {
        return tier.width == Width.BITS_512;
    }
}
