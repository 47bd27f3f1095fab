/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import static io.paritas.erasure.kernel.machine.ArmRegister.*;

import io.paritas.erasure.kernel.machine.CodeBuffer.Label;
import io.paritas.erasure.kernel.machine.Memory.At;
import io.paritas.erasure.kernel.machine.Memory.Constant;
import java.util.List;

/**
 * Writes AArch64 machine code with vectors of 128 bits. What has no instruction takes two, with a general register and a vector register that
 * nothing else uses. Not thread-safe.
 *
 * <p>Source: Arm Architecture Reference Manual for A-profile architecture, chapters C6 and C7 (instructions); Procedure Call Standard for
 * the Arm 64-bit Architecture, section 6 (registers).
 */
final class ArmAssembler extends Assembler {
    /** For what does not fit into an instruction. */
    private static final Register SPARE = X17;
    /** For operands in memory. */
    private static final int SPARE_VECTOR = 31;

    /** The registers whose lower halves callers expect to find again, in pairs. */
    private static final int[] SAVED_VECTORS = {8, 10, 12, 14};

    /** What they expect to find again in general registers, in pairs. */
    private static final int[] SAVED = {19, 21, 23, 25, 27};

    /** Procedure Call Standard for the Arm 64-bit Architecture, section 6. */
    static final Convention CONVENTION = new Convention(
            SP,
            X0,
            List.of(X0, X1, X2, X3, X4, X5, X6, X7),
            List.of(
                    X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15, X19, X20, X21, X22, X23, X24, X25,
                    X26, X27, X28),
            List.of(X8, X9),
            2 * Long.BYTES * (SAVED.length + SAVED_VECTORS.length),
            16);

    private static final byte[] NO_OPERATION = {0x1f, 0x20, 0x03, (byte) 0xd5};
    private static final int ZERO = 31;
    private static final int MOST_IMMEDIATE = 0xfff;
    private static final int WORD_BITS = 16;

    ArmAssembler() {
        super(Width.BITS_128, NO_OPERATION);
    }

    private ArmAssembler word(int instruction) {
        code.word(instruction);
        return this;
    }

    /** An instruction with up to three registers, at the usual places. */
    private ArmAssembler word(int opcode, int to, int one, int other) {
        return word(opcode | other << 16 | one << 5 | to);
    }

    private static int low(int value, int bits) {
        return value & (1 << bits) - 1;
    }

    /** A distance in instructions, in a field of so many bits. */
    private static int field(int distance, int bits) {
        int instructions = distance / Integer.BYTES;
        int most = 1 << (bits - 1);
        if (instructions < -most || instructions >= most) {
            throw new IllegalStateException("code is too long: " + distance + " bytes to a place of it");
        }
        return low(instructions, bits);
    }

    // General registers.

    @Override
    ArmAssembler mov(Register to, Register from) {
        return word(0xaa000000, to.number(), ZERO, from.number());
    }

    @Override
    ArmAssembler load(Register to, At from) {
        return displaced(0xf9400000, to.number(), from, Long.BYTES);
    }

    @Override
    ArmAssembler store(At to, Register from) {
        return displaced(0xf9000000, from.number(), to, Long.BYTES);
    }

    /** A load or store at a place without an index, whose displacement is in units of what is there. */
    private ArmAssembler displaced(int opcode, int register, At at, int size) {
        if (at.index() != null
                || at.displacement() % size != 0
                || at.displacement() < 0
                || at.displacement() / size > MOST_IMMEDIATE) {
            throw new IllegalArgumentException("no address of AArch64 for " + size + " bytes: " + at);
        }
        return word(
                opcode | (at.displacement() / size) << 10, register, at.base().number(), 0);
    }

    @Override
    ArmAssembler add(Register to, int value) {
        return word(0x91000000 | immediate(value) << 10, to.number(), to.number(), 0);
    }

    @Override
    ArmAssembler subtract(Register to, int value) {
        return word(0xd1000000 | immediate(value) << 10, to.number(), to.number(), 0);
    }

    private static int immediate(int value) {
        if (value < 0 || value > MOST_IMMEDIATE) {
            throw new IllegalArgumentException("AArch64 adds up to " + MOST_IMMEDIATE + " at once, got " + value);
        }
        return value;
    }

    @Override
    ArmAssembler add(Register to, Register other) {
        return word(0x8b000000, to.number(), to.number(), other.number());
    }

    @Override
    ArmAssembler subtract(Register to, Register other) {
        return word(0xcb000000, to.number(), to.number(), other.number());
    }

    @Override
    ArmAssembler subtract(Register to, At other) {
        return load(SPARE, other).subtract(to, SPARE);
    }

    @Override
    ArmAssembler negate(Register register) {
        return word(0xcb000000, register.number(), ZERO, register.number());
    }

    @Override
    ArmAssembler and(Register to, int value) {
        return spare(value).word(0x8a000000, to.number(), to.number(), SPARE.number());
    }

    /** Puts a number of 16 bits, or one that is negative, into the spare register. */
    private ArmAssembler spare(int value) {
        int bits = value < 0 ? ~value : value;
        if (bits >> WORD_BITS != 0) {
            throw new IllegalArgumentException("AArch64 takes numbers of 16 bits, got " + value);
        }
        return word((value < 0 ? 0x92800000 : 0xd2800000) | bits << 5 | SPARE.number());
    }

    @Override
    ArmAssembler clear(Register register) {
        return word(0xd2800000 | register.number());
    }

    @Override
    ArmAssembler test(Register register, int mask) {
        return spare(mask).word(0xea000000, ZERO, register.number(), SPARE.number());
    }

    @Override
    ArmAssembler compare(Register register, int value) {
        return word(0xf1000000 | immediate(value) << 10, ZERO, register.number(), 0);
    }

    @Override
    ArmAssembler compare(Register register, At other) {
        return load(SPARE, other).word(0xeb000000, ZERO, register.number(), SPARE.number());
    }

    @Override
    ArmAssembler jump(Condition condition, Label target) {
        code.link(0x54000000 | condition.arm, target, (word, distance) -> word | field(distance, 19) << 5);
        return this;
    }

    @Override
    ArmAssembler jump(Label target) {
        code.link(0x14000000, target, (word, distance) -> word | field(distance, 26));
        return this;
    }

    @Override
    ArmAssembler jump(Register target) {
        return word(0xd61f0000, 0, target.number(), 0);
    }

    @Override
    ArmAssembler call(Label target) {
        code.link(0x94000000, target, (word, distance) -> word | field(distance, 26));
        return this;
    }

    @Override
    ArmAssembler ret() {
        return word(0xd65f0000, 0, X30.number(), 0);
    }

    @Override
    ArmAssembler save() {
        for (int first : SAVED) {
            push(0xa9800000, first);
        }
        for (int first : SAVED_VECTORS) {
            push(0x6d800000, first);
        }
        return this;
    }

    @Override
    ArmAssembler restore() {
        for (int i = SAVED_VECTORS.length - 1; i >= 0; i--) {
            pop(0x6cc00000, SAVED_VECTORS[i]);
        }
        for (int i = SAVED.length - 1; i >= 0; i--) {
            pop(0xa8c00000, SAVED[i]);
        }
        return this;
    }

    @Override
    ArmAssembler saveReturn() {
        return push(0xa9800000, X29.number());
    }

    @Override
    ArmAssembler restoreReturn() {
        return pop(0xa8c00000, X29.number());
    }

    /** Stores a register and the next one below the stack, which grows by 16 bytes. */
    private ArmAssembler push(int opcode, int first) {
        return pair(opcode, first, -2);
    }

    private ArmAssembler pop(int opcode, int first) {
        return pair(opcode, first, 2);
    }

    private ArmAssembler pair(int opcode, int first, int longs) {
        return word(opcode | low(longs, 7) << 15 | (first + 1) << 10, first, SP.number(), 0);
    }

    // Vectors.

    @Override
    ArmAssembler load(int to, Memory from) {
        if (from instanceof Constant constant) {
            code.link(0x9c000000 | to, constant, (word, distance) -> word | field(distance, 19) << 5);
            return this;
        }
        return vector(0x3ce06800, 0x3dc00000, to, (At) from);
    }

    @Override
    ArmAssembler store(At to, int from) {
        return vector(0x3ca06800, 0x3d800000, from, to);
    }

    private ArmAssembler vector(int indexed, int displaced, int vector, At at) {
        if (at.index() == null) {
            return displaced(displaced, vector, at, width.bytes);
        }
        if (at.displacement() != 0) {
            throw new IllegalArgumentException("no address of AArch64 has an index and a displacement: " + at);
        }
        return word(indexed, vector, at.base().number(), at.index().number());
    }

    @Override
    ArmAssembler xor(int to, int one, int other) {
        return word(0x6e201c00, to, one, other);
    }

    @Override
    ArmAssembler xor(int to, int one, Memory other) {
        return load(SPARE_VECTOR, other).xor(to, one, SPARE_VECTOR);
    }

    @Override
    ArmAssembler xorBoth(int to, int one, int other) {
        return word(0xce000000 | other << 10, to, to, one);
    }

    @Override
    ArmAssembler xorBoth(int to, int one, Memory other) {
        return load(SPARE_VECTOR, other).xorBoth(to, one, SPARE_VECTOR);
    }

    @Override
    ArmAssembler or(int to, int one, int other) {
        return word(0x4ea01c00, to, one, other);
    }

    @Override
    ArmAssembler and(int to, int one, int other) {
        return word(0x4e201c00, to, one, other);
    }

    @Override
    ArmAssembler upperNibbles(int to, int from, int mask) {
        return word(0x6f0c0400, to, from, 0);
    }

    @Override
    ArmAssembler lookUp(int to, int table, int indices) {
        return word(0x4e000000, to, table, indices);
    }

    @Override
    ArmAssembler turn(int to, int from) {
        return word(0x6e000800, to, from, from);
    }

    /** The greatest byte, as a number to compare with 0. */
    @Override
    ArmAssembler testZero(int vector) {
        return word(0x6e30a800, SPARE_VECTOR, vector, 0)
                .word(0x0e013c00, SPARE.number(), SPARE_VECTOR, 0)
                .compare(SPARE, 0);
    }
}
