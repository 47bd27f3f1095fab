/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.CodeBuffer.Label;
import io.paritas.erasure.kernel.machine.Memory.At;
import io.paritas.erasure.kernel.machine.Memory.Constant;

/**
 * Writes x86-64 machine code: only the instructions that kernels are made of. Every encoding is compared with GNU as in the tests. Not thread-safe.
 *
 * <p>Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 (encodings) and chapters 3 to
 * 5 (instructions).
 */
final class Assembler {
    // Opcode maps, and the prefixes that VEX and EVEX imply.
    private static final int MAP_0F = 1;
    private static final int MAP_0F38 = 2;
    private static final int MAP_0F3A = 3;
    private static final int PREFIX_66 = 1;
    private static final int PREFIX_F3 = 2;

    private static final int REX_W = 0x48;
    private static final int SIB = 4;
    private static final int NO_OPERAND = 0;

    private final Width width;
    private final CodeBuffer code = new CodeBuffer();

    /** @param width the width of all vectors */
    Assembler(Width width) {
        this.width = width;
    }

    Width width() {
        return width;
    }

    private Assembler bytes(int... values) {
        code.bytes(values);
        return this;
    }

    private Assembler word(int value) {
        code.word(value);
        return this;
    }

    /** Returns the constant with these bytes, 8 or a vector of them, aligned to their number. */
    Constant constant(byte[] bytes) {
        return code.constant(bytes);
    }

    /** Returns a second constant with the bytes of this one, at a place of its own. */
    Constant copy(Constant constant) {
        return code.copy(constant);
    }

    /** Returns the code so far, without constants, and with distances still to be filled in. */
    byte[] code() {
        return code.toByteArray();
    }

    /** Returns the code with its constants. */
    byte[] assemble() {
        return code.assemble();
    }

    /** Fills up to a cache line with instructions that do nothing. */
    Assembler align() {
        code.align();
        return this;
    }

    /** Puts the label here. */
    Assembler bind(Label label) {
        code.bind(label);
        return this;
    }

    private Assembler distanceTo(Label target) {
        code.distanceTo(target);
        return this;
    }

    // General registers.

    private Assembler wide(int opcode, int reg, Register rm) {
        int number = rm.ordinal();
        return bytes(REX_W | (reg >> 3) << 2 | number >> 3, opcode, 0xc0 | (reg & 7) << 3 | (number & 7));
    }

    private Assembler wide(int opcode, Register reg, At memory) {
        int rex = REX_W | (reg.ordinal() >> 3) << 2 | high(memory.index()) << 1 | high(memory.base());
        return bytes(rex, opcode).operand(reg.ordinal(), memory, 1, 0);
    }

    Assembler mov(Register to, Register from) {
        return wide(0x89, from.ordinal(), to);
    }

    Assembler load(Register to, At from) {
        return wide(0x8b, to, from);
    }

    Assembler store(At to, Register from) {
        return wide(0x89, from, to);
    }

    Assembler add(Register to, int value) {
        return wide(0x81, 0, to).word(value);
    }

    Assembler subtract(Register to, int value) {
        return wide(0x81, 5, to).word(value);
    }

    Assembler add(Register to, Register other) {
        return wide(0x01, other.ordinal(), to);
    }

    Assembler subtract(Register to, Register other) {
        return wide(0x29, other.ordinal(), to);
    }

    Assembler subtract(Register to, At other) {
        return wide(0x2b, to, other);
    }

    Assembler negate(Register register) {
        return wide(0xf7, 3, register);
    }

    Assembler and(Register to, int value) {
        return wide(0x81, 4, to).word(value);
    }

    Assembler clear(Register register) {
        return wide(0x31, register.ordinal(), register);
    }

    /** Sets the flags of {@code register & mask}. */
    Assembler test(Register register, int mask) {
        return wide(0xf7, 0, register).word(mask);
    }

    /** Sets the flags of {@code register - value}. */
    Assembler compare(Register register, int value) {
        return wide(0x81, 7, register).word(value);
    }

    /** Sets the flags of {@code register - memory}. */
    Assembler compare(Register register, At other) {
        return wide(0x3b, register, other);
    }

    Assembler push(Register register) {
        return shortForm(0x50, register);
    }

    Assembler pop(Register register) {
        return shortForm(0x58, register);
    }

    private Assembler shortForm(int opcode, Register register) {
        if (high(register) == 1) {
            bytes(0x41);
        }
        return bytes(opcode | (register.ordinal() & 7));
    }

    Assembler jump(Condition condition, Label target) {
        return bytes(0x0f, 0x80 | condition.code).distanceTo(target);
    }

    Assembler jump(Label target) {
        return bytes(0xe9).distanceTo(target);
    }

    /** Jumps to the address in a register. */
    Assembler jump(Register target) {
        if (high(target) == 1) {
            bytes(0x41);
        }
        return bytes(0xff, 0xe0 | (target.ordinal() & 7));
    }

    Assembler call(Label target) {
        return bytes(0xe8).distanceTo(target);
    }

    /** Asks for the cache line in the first-level cache. */
    Assembler prefetch(At memory) {
        if (high(memory.base()) + high(memory.index()) > 0) {
            bytes(0x40 | high(memory.index()) << 1 | high(memory.base()));
        }
        return bytes(0x0f, 0x18).operand(1, memory, 1, 0);
    }

    Assembler ret() {
        return bytes(0xc3);
    }

    // Vectors.

    /** Loads a vector, at any address. */
    Assembler load(int to, Memory from) {
        return vector(MAP_0F, PREFIX_F3, 1, 0x6f, to, NO_OPERAND, from);
    }

    /** Stores a vector, at any address. */
    Assembler store(At to, int from) {
        return vector(MAP_0F, PREFIX_F3, 1, 0x7f, from, NO_OPERAND, to);
    }

    /** Fills a vector with copies of 8 bytes. */
    Assembler broadcast(int to, Constant from) {
        return width == Width.BITS_512
                ? evex(MAP_0F38, PREFIX_66, 1, to, NO_OPERAND, from, false)
                        .bytes(0x59)
                        .operand(to, from, 8, 0)
                : vex(MAP_0F38, PREFIX_66, 0, to, NO_OPERAND, from).bytes(0x59).operand(to, from, 1, 0);
    }

    Assembler xor(int to, int one, int other) {
        return vector(MAP_0F, PREFIX_66, 1, 0xef, to, one, other);
    }

    Assembler xor(int to, int one, Memory other) {
        return vector(MAP_0F, PREFIX_66, 1, 0xef, to, one, other);
    }

    /** {@code to ^= one ^ other}. Only for 512 bits. */
    Assembler xorBoth(int to, int one, int other) {
        return vector(MAP_0F3A, PREFIX_66, 1, 0x25, to, one, other).bytes(0x96);
    }

    /** {@code to ^= one ^ other}. Only for 512 bits. */
    Assembler xorBoth(int to, int one, Memory other) {
        return evex(MAP_0F3A, PREFIX_66, 1, to, one, other, false)
                .bytes(0x25)
                .operand(to, other, width.bytes, 1)
                .bytes(0x96);
    }

    Assembler or(int to, int one, int other) {
        return vector(MAP_0F, PREFIX_66, 1, 0xeb, to, one, other);
    }

    Assembler and(int to, int one, int other) {
        return vector(MAP_0F, PREFIX_66, 1, 0xdb, to, one, other);
    }

    /** Shifts every 64 bits to the right by 4. */
    Assembler shiftRightByFour(int to, int from) {
        return vector(MAP_0F, PREFIX_66, 1, 0x73, 2, to, from).bytes(4);
    }

    /** Looks every byte of {@code indices}, 0 to 15, up in the 16 bytes of {@code table} in its part of 128 bits. */
    Assembler lookUp(int to, int table, int indices) {
        return vector(MAP_0F38, PREFIX_66, 0, 0x00, to, table, indices);
    }

    /** Turns each 128 bits by a byte. */
    Assembler turn(int to, int from) {
        return vector(MAP_0F3A, PREFIX_66, 0, 0x0f, to, from, from).bytes(1);
    }

    /** Multiplies every byte by the 8×8 bit matrices in a register (GFNI). */
    Assembler affine(int to, int from, int matrices) {
        return vector(MAP_0F3A, PREFIX_66, 1, 0xce, to, from, matrices).bytes(0);
    }

    /** Multiplies every byte by 8×8 bit matrices in memory (GFNI): one for all at 512 bits, a vector of them at 256. */
    Assembler affine(int to, int from, Constant matrices) {
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

    /** Sets the zero flag if all of a vector is zero. */
    Assembler testZero(int vector) {
        if (width == Width.BITS_256) {
            return vector(MAP_0F38, PREFIX_66, 0, 0x17, vector, NO_OPERAND, vector);
        }
        // vptestmq k1, v, v; kortestb k1, k1
        return vector(MAP_0F38, PREFIX_66, 1, 0x27, 1, vector, vector).bytes(0xc5, 0xf9, 0x98, 0xc9);
    }

    /** Frees the upper halves of the vector registers, which slow down older instructions of others. */
    Assembler leaveVectors() {
        return bytes(0xc5, 0xf8, 0x77);
    }

    private Assembler vector(int map, int prefix, int w, int opcode, int reg, int second, int rm) {
        if (width == Width.BITS_512) {
            return evexPrefix(map, prefix, w, reg, second, rm >> 4, rm >> 3, false)
                    .bytes(opcode, 0xc0 | (reg & 7) << 3 | (rm & 7));
        }
        // VEX ignores W in the instructions here, but for GFNI.
        return vexPrefix(map, prefix, opcode == 0xce ? w : 0, reg, second, 0, rm >> 3)
                .bytes(opcode, 0xc0 | (reg & 7) << 3 | (rm & 7));
    }

    private Assembler vector(int map, int prefix, int w, int opcode, int reg, int second, Memory memory) {
        return width == Width.BITS_512
                ? evex(map, prefix, w, reg, second, memory, false).bytes(opcode).operand(reg, memory, width.bytes, 0)
                : vex(map, prefix, 0, reg, second, memory).bytes(opcode).operand(reg, memory, 1, 0);
    }

    private Assembler vex(int map, int prefix, int w, int reg, int second, Memory memory) {
        return vexPrefix(map, prefix, w, reg, second, high(index(memory)), high(base(memory)));
    }

    private Assembler vexPrefix(int map, int prefix, int w, int reg, int second, int x, int b) {
        return bytes(
                0xc4,
                not(reg >> 3) << 7 | not(x) << 6 | not(b) << 5 | map,
                w << 7 | (~second & 15) << 3 | 1 << 2 | prefix);
    }

    private Assembler evex(int map, int prefix, int w, int reg, int second, Memory memory, boolean broadcast) {
        return evexPrefix(map, prefix, w, reg, second, high(index(memory)), high(base(memory)), broadcast);
    }

    private Assembler evexPrefix(int map, int prefix, int w, int reg, int second, int x, int b, boolean broadcast) {
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
    private Assembler operand(int reg, Memory memory, int scale, int after) {
        int field = (reg & 7) << 3;
        if (memory instanceof Constant constant) {
            bytes(field | 5);
            code.distanceTo(constant, after);
            return this;
        }
        At at = (At) memory;
        int displacement = at.displacement();
        boolean isShort = displacement % scale == 0 && (byte) (displacement / scale) == displacement / scale;
        int mode = isShort ? 0x40 : 0x80;
        if (at.index() == null && at.base() != Register.RSP && at.base() != Register.R12) {
            bytes(mode | field | (at.base().ordinal() & 7));
        } else {
            int index = at.index() == null ? Register.RSP.ordinal() : at.index().ordinal();
            bytes(mode | field | SIB, (index & 7) << 3 | (at.base().ordinal() & 7));
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
        return register == null ? 0 : register.ordinal() >> 3;
    }

    private static int not(int bit) {
        return ~bit & 1;
    }
}
