/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.CodeBuffer.Label;
import io.paritas.erasure.kernel.machine.Memory.At;
import io.paritas.erasure.kernel.machine.Memory.Constant;

/**
 * Writes machine code: the instructions that kernels are made of, whatever the architecture; some are several of it. Every encoding is
 * compared with GNU as in the tests. Not thread-safe.
 */
abstract class Assembler {
    final Width width;
    final CodeBuffer code;

    /**
     * @param width the width of all vectors
     * @param noOperation an instruction that does nothing
     */
    Assembler(Width width, byte[] noOperation) {
        this.width = width;
        this.code = new CodeBuffer(noOperation);
    }

    Width width() {
        return width;
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

    // General registers.

    abstract Assembler mov(Register to, Register from);

    abstract Assembler load(Register to, At from);

    abstract Assembler store(At to, Register from);

    abstract Assembler add(Register to, int value);

    abstract Assembler subtract(Register to, int value);

    abstract Assembler add(Register to, Register other);

    abstract Assembler subtract(Register to, Register other);

    abstract Assembler subtract(Register to, At other);

    abstract Assembler negate(Register register);

    abstract Assembler and(Register to, int value);

    abstract Assembler clear(Register register);

    /** Sets the flags of {@code register & mask}. */
    abstract Assembler test(Register register, int mask);

    /** Sets the flags of {@code register - value}. */
    abstract Assembler compare(Register register, int value);

    /** Sets the flags of {@code register - memory}. */
    abstract Assembler compare(Register register, At other);

    abstract Assembler jump(Condition condition, Label target);

    abstract Assembler jump(Label target);

    /** Jumps to the address in a register. */
    abstract Assembler jump(Register target);

    abstract Assembler call(Label target);

    abstract Assembler ret();

    /** Puts aside what callers expect to find again in registers; {@link #restore} brings it back. */
    abstract Assembler save();

    abstract Assembler restore();

    /** Puts aside where to return to, so that {@link #call} may follow; {@link #restoreReturn} brings it back. */
    abstract Assembler saveReturn();

    abstract Assembler restoreReturn();

    /** Asks for the cache line in the first-level cache. Only where addresses have {@linkplain Architecture#displaces displacements}. */
    Assembler prefetch(At memory) {
        throw new UnsupportedOperationException("prefetch " + memory);
    }

    // Vectors.

    /** Loads a vector, at any address. */
    abstract Assembler load(int to, Memory from);

    /** Stores a vector, at any address. */
    abstract Assembler store(At to, int from);

    abstract Assembler xor(int to, int one, int other);

    abstract Assembler xor(int to, int one, Memory other);

    /** {@code to ^= one ^ other}. Only where {@linkplain Tier#xorTerms one instruction} adds up three. */
    abstract Assembler xorBoth(int to, int one, int other);

    /** {@code to ^= one ^ other}. Only where {@linkplain Tier#xorTerms one instruction} adds up three. */
    abstract Assembler xorBoth(int to, int one, Memory other);

    abstract Assembler or(int to, int one, int other);

    abstract Assembler and(int to, int one, int other);

    /** Moves the upper four bits of every byte down. {@code mask} has 0x0f in every byte. */
    abstract Assembler upperNibbles(int to, int from, int mask);

    /** Looks every byte of {@code indices}, 0 to 15, up in the 16 bytes of {@code table} in its part of 128 bits. */
    abstract Assembler lookUp(int to, int table, int indices);

    /** Turns each 128 bits by a byte. */
    abstract Assembler turn(int to, int from);

    /** Sets the zero flag if all of a vector is zero. */
    abstract Assembler testZero(int vector);

    /** Fills a vector with copies of 8 bytes. Only where the tier {@linkplain Tier#hasProducts has products}. */
    Assembler broadcast(int to, Constant from) {
        throw new UnsupportedOperationException("broadcast " + from);
    }

    /** Multiplies every byte by the 8×8 bit matrices in a register. Only where the tier {@linkplain Tier#hasProducts has products}. */
    Assembler affine(int to, int from, int matrices) {
        throw new UnsupportedOperationException("affine " + matrices);
    }

    /** Multiplies every byte by 8×8 bit matrices in memory: one for all at 512 bits, a vector of them at 256. */
    Assembler affine(int to, int from, Constant matrices) {
        throw new UnsupportedOperationException("affine " + matrices);
    }
}
