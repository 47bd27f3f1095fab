/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Memory.Constant;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The bytes of machine code, and behind them its constants: relative distances to labels and constants are filled in at the end, so the code can
 * lie anywhere. Not thread-safe.
 */
final class CodeBuffer {
    /** A place in the code that jumps go to. */
    static final class Label {
        private int position = -1;
    }

    private record Jump(int position, Label target) {}

    /** A use of a constant: a 32-bit distance at {@code position}, counted from {@code end}. */
    private record Use(int position, int end, Constant constant) {}

    private static final int LINE = 64;
    private static final int NO_OPERATION = 0x90;

    private final ByteArrayOutputStream code = new ByteArrayOutputStream();
    private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
    private final Map<ByteBuffer, Constant> constants = new LinkedHashMap<>();
    private final Map<Constant, Constant> copies = new LinkedHashMap<>();
    private final List<Jump> jumps = new ArrayList<>();
    private final List<Use> uses = new ArrayList<>();

    /** Appends bytes. */
    void bytes(int... values) {
        for (int value : values) {
            code.write(value);
        }
    }

    /** Appends 32 bits. */
    void word(int value) {
        bytes(value, value >> 8, value >> 16, value >> 24);
    }

    /** Returns the constant with these bytes, 8 or a vector of them, aligned to their number. */
    Constant constant(byte[] bytes) {
        return constants.computeIfAbsent(ByteBuffer.wrap(bytes.clone()), key -> append(bytes));
    }

    /** Returns a second constant with the bytes of this one, at a place of its own. */
    Constant copy(Constant constant) {
        return copies.computeIfAbsent(constant, key -> {
            byte[] all = pool.toByteArray();
            return append(Arrays.copyOfRange(all, key.offset(), key.offset() + key.size()));
        });
    }

    private Constant append(byte[] bytes) {
        while (pool.size() % bytes.length != 0) {
            pool.write(0);
        }
        Constant constant = new Constant(pool.size(), bytes.length);
        pool.writeBytes(bytes);
        return constant;
    }

    /** Returns the code so far, without constants, and with distances still to be filled in. */
    byte[] toByteArray() {
        return code.toByteArray();
    }

    /** Returns the code with its constants. */
    byte[] assemble() {
        align();
        int poolStart = code.size();
        byte[] whole = new byte[poolStart + pool.size()];
        System.arraycopy(code.toByteArray(), 0, whole, 0, poolStart);
        System.arraycopy(pool.toByteArray(), 0, whole, poolStart, pool.size());
        ByteBuffer buffer = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
        jumps.forEach(jump -> buffer.putInt(jump.position, jump.target.position - (jump.position + Integer.BYTES)));
        uses.forEach(use -> buffer.putInt(use.position, poolStart + use.constant.offset() - use.end));
        return whole;
    }

    /** Fills up to a cache line with instructions that do nothing. */
    void align() {
        while (code.size() % LINE != 0) {
            bytes(NO_OPERATION);
        }
    }

    /** Puts the label here. */
    void bind(Label label) {
        label.position = code.size();
    }

    /** Appends the distance from its own end to a label: the last part of a jump. */
    void distanceTo(Label target) {
        jumps.add(new Jump(code.size(), target));
        word(0);
    }

    /**
     * Appends the distance to a constant.
     *
     * @param after bytes of the instruction that follow
     */
    void distanceTo(Constant constant, int after) {
        uses.add(new Use(code.size(), code.size() + Integer.BYTES + after, constant));
        word(0);
    }
}
