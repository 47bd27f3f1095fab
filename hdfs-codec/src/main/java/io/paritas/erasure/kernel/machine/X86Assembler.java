/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import static io.paritas.erasure.kernel.machine.X86Register.*;

import io.paritas.erasure.kernel.machine.CodeBuffer.Label;
import io.paritas.erasure.kernel.machine.Memory.At;
import io.paritas.erasure.kernel.machine.Memory.Constant;
import java.util.Arrays;
import java.util.List;

/**
 * Writes x86-64 machine code, and a few instructions more than every assembler has. Not thread-safe.
 *
 * <p>Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 (encodings) and chapters 3 to
 * 5 (instructions).
 */
final class X86Assembler extends Assembler {
    // Opcode maps, and the prefixes that VEX and EVEX imply.
    private static final int MAP_0F = 1;
    private static final int MAP_0F38 = 2;
    private static final int MAP_0F3A = 3;
    private static final int PREFIX_66 = 1;
    private static final int PREFIX_F3 = 2;

    private static final byte[] NO_OPERATION = {(byte) 0x90};
    private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};

    /** System V ABI, AMD64 supplement, section 3.2. The address to return to lies above what is saved. */
    static final Convention CONVENTION = new Convention(
            RSP,
            RAX,
            List.of(RDI, RSI, RDX, RCX, R8, R9),
            List.of(RSI, RDX, RCX, R8, R9, R10, R11, RBX, RBP, R12, R13, R14, R15, RDI),
            List.of(R10, R11),
            Long.BYTES * (SAVED.length + 1),
            Long.BYTES);

    private static final int REX_W = 0x48;
    private static final int SIB = 4;
    private static final int NO_OPERAND = 0;

    /** @param width the width of all vectors: 256 or 512 bits */
    X86Assembler(Width width) {
        super(width, NO_OPERATION);
    }

    private X86Assembler bytes(int... values) {
        code.bytes(values);
        return this;
    }

    private X86Assembler word(int value) {
        code.word(value);
        return this;
    }

    /** Appends the distance from its own end to a label: the last part of a jump. */
    private X86Assembler distanceTo(Label target) {
        code.link(0, target, (nothing, distance) -> distance - Integer.BYTES);
        return this;
    }

    /** @param after bytes of the instruction that follow */
    private X86Assembler distanceTo(Constant constant, int after) {
        code.link(0, constant, (nothing, distance) -> distance - Integer.BYTES - after);
        return this;
    }

    // General registers.

    private X86Assembler wide(int opcode, int reg, Register rm) {
        int number = rm.number();
        return bytes(REX_W | (reg >> 3) << 2 | number >> 3, opcode, 0xc0 | (reg & 7) << 3 | (number & 7));
    }

    private X86Assembler wide(int opcode, Register reg, At memory) {
        int rex = REX_W | (reg.number() >> 3) << 2 | high(memory.index()) << 1 | high(memory.base());
        return bytes(rex, opcode).operand(reg.number(), memory, 1, 0);
    }

    @Override
    X86Assembler mov(Register to, Register from) {
        return wide(0x89, from.number(), to);
    }

    @Override
    X86Assembler load(Register to, At from) {
        return wide(0x8b, to, from);
    }

    @Override
    X86Assembler store(At to, Register from) {
        return wide(0x89, from, to);
    }

    @Override
    X86Assembler add(Register to, int value) {
        return wide(0x81, 0, to).word(value);
    }

    @Override
    X86Assembler subtract(Register to, int value) {
        return wide(0x81, 5, to).word(value);
    }

    @Override
    X86Assembler add(Register to, Register other) {
        return wide(0x01, other.number(), to);
    }

    @Override
    X86Assembler subtract(Register to, Register other) {
        return wide(0x29, other.number(), to);
    }

    @Override
    X86Assembler subtract(Register to, At other) {
        return wide(0x2b, to, other);
    }

    @Override
    X86Assembler negate(Register register) {
        return wide(0xf7, 3, register);
    }

    @Override
    X86Assembler and(Register to, int value) {
        return wide(0x81, 4, to).word(value);
    }

    @Override
    X86Assembler clear(Register register) {
        return wide(0x31, register.number(), register);
    }

    @Override
    X86Assembler test(Register register, int mask) {
        return wide(0xf7, 0, register).word(mask);
    }

    @Override
    X86Assembler compare(Register register, int value) {
        return wide(0x81, 7, register).word(value);
    }

    @Override
    X86Assembler compare(Register register, At other) {
        return wide(0x3b, register, other);
    }

    X86Assembler push(Register register) {
        return shortForm(0x50, register);
    }

    X86Assembler pop(Register register) {
        return shortForm(0x58, register);
    }

    private X86Assembler shortForm(int opcode, Register register) {
        if (high(register) == 1) {
            bytes(0x41);
        }
        return bytes(opcode | (register.number() & 7));
    }

    @Override
    X86Assembler jump(Condition condition, Label target) {
        return bytes(0x0f, 0x80 | condition.x86).distanceTo(target);
    }

    @Override
    X86Assembler jump(Label target) {
        return bytes(0xe9).distanceTo(target);
    }

    @Override
    X86Assembler jump(Register target) {
        if (high(target) == 1) {
            bytes(0x41);
        }
        return bytes(0xff, 0xe0 | (target.number() & 7));
    }

    @Override
    X86Assembler call(Label target) {
        return bytes(0xe8).distanceTo(target);
    }

    @Override
    X86Assembler prefetch(At memory) {
        if (high(memory.base()) + high(memory.index()) > 0) {
            bytes(0x40 | high(memory.index()) << 1 | high(memory.base()));
        }
        return bytes(0x0f, 0x18).operand(1, memory, 1, 0);
    }

    @Override
    X86Assembler ret() {
        return bytes(0xc3);
    }

    @Override
    X86Assembler save() {
        Arrays.stream(SAVED).forEach(this::push);
        return this;
    }

    /** Vectors are left, too. */
    @Override
    X86Assembler restore() {
        leaveVectors();
        for (int i = SAVED.length - 1; i >= 0; i--) {
            pop(SAVED[i]);
        }
        return this;
    }

    /** A call itself puts the address on the stack. */
    @Override
    X86Assembler saveReturn() {
        return this;
    }

    @Override
    X86Assembler restoreReturn() {
        return this;
    }

    // Vectors.

    @Override
    X86Assembler load(int to, Memory from) {
        return vector(MAP_0F, PREFIX_F3, 1, 0x6f, to, NO_OPERAND, from);
    }

    @Override
    X86Assembler store(At to, int from) {
        return vector(MAP_0F, PREFIX_F3, 1, 0x7f, from, NO_OPERAND, to);
    }

    @Override
    X86Assembler broadcast(int to, Constant from) {
        return width == Width.BITS_512
                ? evex(MAP_0F38, PREFIX_66, 1, to, NO_OPERAND, from, false)
                        .bytes(0x59)
                        .operand(to, from, 8, 0)
                : vex(MAP_0F38, PREFIX_66, 0, to, NO_OPERAND, from).bytes(0x59).operand(to, from, 1, 0);
    }

    @Override
    X86Assembler xor(int to, int one, int other) {
        return vector(MAP_0F, PREFIX_66, 1, 0xef, to, one, other);
    }

    @Override
    X86Assembler xor(int to, int one, Memory other) {
        return vector(MAP_0F, PREFIX_66, 1, 0xef, to, one, other);
    }

    @Override
    X86Assembler xorBoth(int to, int one, int other) {
        return vector(MAP_0F3A, PREFIX_66, 1, 0x25, to, one, other).bytes(0x96);
    }

    @Override
    X86Assembler xorBoth(int to, int one, Memory other) {
        return evex(MAP_0F3A, PREFIX_66, 1, to, one, other, false)
                .bytes(0x25)
                .operand(to, other, width.bytes, 1)
                .bytes(0x96);
    }

    @Override
    X86Assembler or(int to, int one, int other) {
        return vector(MAP_0F, PREFIX_66, 1, 0xeb, to, one, other);
    }

    @Override
    X86Assembler and(int to, int one, int other) {
        return vector(MAP_0F, PREFIX_66, 1, 0xdb, to, one, other);
    }

    /** There is no shift of bytes. */
    @Override
    X86Assembler upperNibbles(int to, int from, int mask) {
        return shiftRightByFour(to, from).and(to, to, mask);
    }

    /** Shifts every 64 bits to the right by 4. */
    X86Assembler shiftRightByFour(int to, int from) {
        return vector(MAP_0F, PREFIX_66, 1, 0x73, 2, to, from).bytes(4);
    }

    @Override
    X86Assembler lookUp(int to, int table, int indices) {
        return vector(MAP_0F38, PREFIX_66, 0, 0x00, to, table, indices);
    }

    @Override
    X86Assembler turn(int to, int from) {
        return vector(MAP_0F3A, PREFIX_66, 0, 0x0f, to, from, from).bytes(1);
    }

    @Override
    X86Assembler affine(int to, int from, int matrices) {
        return vector(MAP_0F3A, PREFIX_66, 1, 0xce, to, from, matrices).bytes(0);
    }

    @Override
    X86Assembler affine(int to, int from, Constant matrices) {
        return width == Width.BITS_512
                ? evex(MAP_0F3A, PREFIX_66, 1, to, from, matrices, true)
                        .bytes(0xce)
                        .operand(to, matrices, 8, 1)
                        .bytes(0)
                : vex(MAP_0F3A, PREFIX_66, 1, to, from, matrices)
                        .bytes(0xce)
                        .operand(to, matrices, 1, 1)
                        .bytes(0);
    }

    @Override
    X86Assembler testZero(int vector) {
        if (width == Width.BITS_256) {
            return vector(MAP_0F38, PREFIX_66, 0, 0x17, vector, NO_OPERAND, vector);
        }
        // vptestmq k1, v, v; kortestb k1, k1
        return vector(MAP_0F38, PREFIX_66, 1, 0x27, 1, vector, vector).bytes(0xc5, 0xf9, 0x98, 0xc9);
    }

    /** Frees the upper halves of the vector registers, which slow down older instructions of others. */
    X86Assembler leaveVectors() {
        return bytes(0xc5, 0xf8, 0x77);
    }

    private X86Assembler vector(int map, int prefix, int w, int opcode, int reg, int second, int rm) {
        if (width == Width.BITS_512) {
            return evexPrefix(map, prefix, w, reg, second, rm >> 4, rm >> 3, false)
                    .bytes(opcode, 0xc0 | (reg & 7) << 3 | (rm & 7));
        }
        // VEX ignores W in the instructions here, but for GFNI.
        return vexPrefix(map, prefix, opcode == 0xce ? w : 0, reg, second, 0, rm >> 3)
                .bytes(opcode, 0xc0 | (reg & 7) << 3 | (rm & 7));
    }

    private X86Assembler vector(int map, int prefix, int w, int opcode, int reg, int second, Memory memory) {
        return width == Width.BITS_512
                ? evex(map, prefix, w, reg, second, memory, false).bytes(opcode).operand(reg, memory, width.bytes, 0)
                : vex(map, prefix, 0, reg, second, memory).bytes(opcode).operand(reg, memory, 1, 0);
    }

    private X86Assembler vex(int map, int prefix, int w, int reg, int second, Memory memory) {
        return vexPrefix(map, prefix, w, reg, second, high(index(memory)), high(base(memory)));
    }

    private X86Assembler vexPrefix(int map, int prefix, int w, int reg, int second, int x, int b) {
        return bytes(
                0xc4,
                not(reg >> 3) << 7 | not(x) << 6 | not(b) << 5 | map,
                w << 7 | (~second & 15) << 3 | 1 << 2 | prefix);
    }

    private X86Assembler evex(int map, int prefix, int w, int reg, int second, Memory memory, boolean broadcast) {
        return evexPrefix(map, prefix, w, reg, second, high(index(memory)), high(base(memory)), broadcast);
    }

    private X86Assembler evexPrefix(int map, int prefix, int w, int reg, int second, int x, int b, boolean broadcast) {
        return bytes(
                0x62,
                not(reg >> 3) << 7 | not(x) << 6 | not(b) << 5 | not(reg >> 4) << 4 | map,
                w << 7 | (~second & 15) << 3 | 1 << 2 | prefix,
                2 << 5 | (broadcast ? 1 << 4 : 0) | not(second >> 4) << 3);
    }

    /**
     * The operand in memory, with its displacement.
     *
     * @param scale unit of short displacements: 1, or with EVEX the bytes that the instruction reads
     * @param after bytes of the instruction that follow
     */
    private X86Assembler operand(int reg, Memory memory, int scale, int after) {
        int field = (reg & 7) << 3;
        if (memory instanceof Constant constant) {
            bytes(field | 5);
            return distanceTo(constant, after);
        }
        At at = (At) memory;
        int displacement = at.displacement();
        boolean isShort = displacement % scale == 0 && (byte) (displacement / scale) == displacement / scale;
        int mode = isShort ? 0x40 : 0x80;
        if (at.index() == null && at.base() != RSP && at.base() != R12) {
            bytes(mode | field | (at.base().number() & 7));
        } else {
            int index = at.index() == null ? RSP.number() : at.index().number();
            bytes(mode | field | SIB, (index & 7) << 3 | (at.base().number() & 7));
        }
        return isShort ? bytes(displacement / scale) : word(displacement);
    }

    private static Register base(Memory memory) {
        return memory instanceof At at ? at.base() : null;
    }

    private static Register index(Memory memory) {
        return memory instanceof At at ? at.index() : null;
    }

    private static int high(Register register) {
        return register == null ? 0 : register.number() >> 3;
    }

    private static int not(int bit) {
        return ~bit & 1;
    }
}
