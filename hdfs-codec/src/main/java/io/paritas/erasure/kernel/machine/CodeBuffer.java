/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Memory.Constant;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntBinaryOperator;

/**
 * The bytes of machine code, and behind them its constants: relative distances to labels and constants are filled in at the end, so the code can
 * lie anywhere. Not thread-safe.
 */
final class CodeBuffer {
    /** A place in the code that jumps go to. */
    static final class Label {
        private int position = -1;
    }

    /** A word that says where something is. */
    private record Link(int position, int word, IntBinaryOperator with) {
        void fill(ByteBuffer code, int target) {
            code.putInt(position, with.applyAsInt(word, target - position));
        }
    }

    private static final int LINE = 64;

    private final byte[] noOperation;

    private final ByteArrayOutputStream code = new ByteArrayOutputStream();
    private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
    private final Map<ByteBuffer, Constant> constants = new LinkedHashMap<>();
    private final Map<Constant, Constant> copies = new LinkedHashMap<>();
    private final Map<Link, Label> toLabels = new LinkedHashMap<>();
    private final Map<Link, Constant> toConstants = new LinkedHashMap<>();

    /** @param noOperation an instruction that does nothing */
    CodeBuffer(byte[] noOperation) {
        this.noOperation = noOperation;
    }

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
        toLabels.forEach((link, label) -> link.fill(buffer, label.position));
        toConstants.forEach((link, constant) -> link.fill(buffer, poolStart + constant.offset()));
        return whole;
    }

    /** Fills up to a cache line with instructions that do nothing. */
    void align() {
        while (code.size() % LINE != 0) {
            code.writeBytes(noOperation);
        }
    }

    /** Puts the label here. */
    void bind(Label label) {
        label.position = code.size();
    }

    /**
     * Appends a word that says where a label is.
     *
     * @param with makes the word of this one and the distance from its start to the label, in bytes
     */
    void link(int word, Label target, IntBinaryOperator with) {
        toLabels.put(new Link(code.size(), word, with), target);
        word(word);
    }

    /** Appends a word that says where a constant is. */
    void link(int word, Constant target, IntBinaryOperator with) {
        toConstants.put(new Link(code.size(), word, with), target);
        word(word);
    }
}
