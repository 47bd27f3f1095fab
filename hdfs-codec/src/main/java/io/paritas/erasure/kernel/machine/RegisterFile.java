/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.ProductProgram.Load;
import io.paritas.erasure.kernel.machine.ProductProgram.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Says which vector register holds which value of a program, statement by statement. Where registers run out, it gives up
 * the input that is needed last: an input can be loaded again.
 */
final class RegisterFile {
    /** Thrown where more results than registers are needed at once. */
    static final class TooFewException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooFewException(int registers) {
            super("the program needs more than " + registers + " registers at once");
        }
    }

    /** Loads an input into a register once more. */
    interface Reload {
        void load(int register, int input);
    }

    private static final int NOWHERE = -1;

    private final int size;
    private final Deque<Integer> free = new ArrayDeque<>();
    /** The register of each value, or {@link #NOWHERE}. */
    private final int[] register;
    /** The input that a value is, or {@link #NOWHERE}. */
    private final int[] input;
    /** The statements that use a value, from the next one on. */
    private final List<Deque<Integer>> uses = new ArrayList<>();
    /** Values that are in registers. */
    private final List<Integer> held = new ArrayList<>();

    private boolean evicted;
    private int most;

    RegisterFile(ProductProgram program, Deque<Integer> registers) {
        size = registers.size();
        free.addAll(registers);
        register = new int[program.values()];
        input = new int[program.values()];
        Arrays.fill(register, NOWHERE);
        Arrays.fill(input, NOWHERE);
        for (int value = 0; value < program.values(); value++) {
            uses.add(new ArrayDeque<>());
        }
        List<Statement> statements = program.statements();
        for (int i = 0; i < statements.size(); i++) {
            if (statements.get(i) instanceof Load load) {
                input[load.to()] = load.input();
            }
            for (int value : statements.get(i).uses()) {
                uses.get(value).add(i);
            }
        }
    }

    /** Returns the register of a value that a statement uses. */
    int of(int value, Statement user, Reload reload) {
        if (register[value] == NOWHERE) {
            place(value, take(user));
            reload.load(register[value], input[value]);
        }
        return register[value];
    }

    /** Returns a register for a statement's result. */
    int make(int value, Statement maker) {
        place(value, take(maker));
        return register[value];
    }

    /** Adds a register that holds a value already; it is free when the value is no longer needed. */
    void adopt(int value, int adopted) {
        place(value, adopted);
    }

    /** Makes a value the new owner of the register of a value that nobody needs any more. */
    int inherit(int heir, int value) {
        int inherited = register[value];
        held.remove((Integer) value);
        register[value] = NOWHERE;
        place(heir, inherited);
        return inherited;
    }

    /** Takes a register for a while; {@link #give} frees it. */
    int take(Statement user) {
        if (free.isEmpty()) {
            evict(user);
        }
        int taken = free.remove();
        most = Math.max(most, size - free.size());
        return taken;
    }

    void give(int taken) {
        free.addFirst(taken);
    }

    private void evict(Statement user) {
        int victim = held.stream()
                .filter(value ->
                        input[value] != NOWHERE && Arrays.stream(user.uses()).noneMatch(used -> used == value))
                .max(Comparator.comparingInt(this::nextUse))
                .orElseThrow(() -> new TooFewException(size));
        evicted = true;
        release(victim);
    }

    /** An input that no output needs comes last. */
    private int nextUse(int value) {
        Integer next = uses.get(value).peek();
        return next == null ? Integer.MAX_VALUE : next;
    }

    private void place(int value, int where) {
        register[value] = where;
        held.add(value);
    }

    private void release(int value) {
        free.addFirst(register[value]);
        register[value] = NOWHERE;
        held.remove((Integer) value);
    }

    /** Whether a value has no use after this statement. */
    boolean isLastUse(int value, int statement) {
        return uses.get(value).stream().allMatch(use -> use <= statement);
    }

    /** Frees the registers of what is not needed after this statement. */
    void after(int statement) {
        for (int value : List.copyOf(held)) {
            Deque<Integer> left = uses.get(value);
            while (!left.isEmpty() && left.peek() <= statement) {
                left.remove();
            }
            if (left.isEmpty()) {
                release(value);
            }
        }
    }

    /** Whether an input had to be given up. */
    boolean hasEvicted() {
        return evicted;
    }

    /** The most registers that were in use at once. */
    int most() {
        return most;
    }
}
