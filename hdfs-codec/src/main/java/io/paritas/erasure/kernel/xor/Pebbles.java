/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Gives each value of a program a block while statements are emitted in some order (the pebble game of Uezato, SC'21,
 * section 6). A pebble is free again after the last use of its value, already for the target of the same statement; of
 * the free ones the most recently used is taken, which is the one most probably still cached.
 */
final class Pebbles {
    private static final int NONE = -1;

    private final XorProgram program;
    private final int inputs;
    private final BitSet outputs = new BitSet();
    private final BitSet free = new BitSet();
    private final RecentlyUsed recent;
    private final int[] remainingUses;
    /** The block of each value. */
    private final int[] blocks;

    private final List<Statement> statements = new ArrayList<>();
    private int pebbles;

    Pebbles(XorProgram program) {
        this.program = program;
        inputs = program.inputs();
        recent = new RecentlyUsed(inputs + program.size());
        blocks = new int[inputs + program.size()];
        remainingUses = new int[blocks.length];
        Arrays.fill(blocks, NONE);
        for (int input = 0; input < inputs; input++) {
            blocks[input] = input;
        }
        for (int i = 0; i < program.size(); i++) {
            for (int argument : program.arguments(i)) {
                remainingUses[argument]++;
            }
        }
        for (int output = 0; output < program.outputs(); output++) {
            if (program.output(output) != XorProgram.ZERO) {
                outputs.set(program.output(output));
            }
        }
    }

    boolean isAvailable(int value) {
        return blocks[value] != NONE;
    }

    /** How many other blocks were touched after this value's, or {@link RecentlyUsed#NEVER}. */
    int age(int value) {
        return recent.age(blocks[value]);
    }

    /** Emits a definition, its arguments in this order, and touches the target. */
    void emitAndTouch(int definition, int[] arguments) {
        emit(definition, arguments);
        recent.touch(blocks[inputs + definition]);
    }

    /** Emits a definition, its arguments in this order. */
    void emit(int definition, int[] arguments) {
        int[] read = new int[arguments.length];
        for (int i = 0; i < read.length; i++) {
            read[i] = blocks[arguments[i]];
            recent.touch(read[i]);
            release(arguments[i]);
        }
        int target = take();
        blocks[inputs + definition] = target;
        statements.add(new Statement(target, read));
    }

    private void release(int value) {
        remainingUses[value]--;
        if (remainingUses[value] == 0 && value >= inputs && !outputs.get(value)) {
            free.set(blocks[value]);
            blocks[value] = NONE;
        }
    }

    private int take() {
        if (free.isEmpty()) {
            return inputs + pebbles++;
        }
        int age = 0;
        while (!free.get(recent.block(age))) {
            age++; // a free pebble was read once, so it is found
        }
        int block = recent.block(age);
        free.clear(block);
        return block;
    }

    Schedule schedule() {
        int[] places = new int[program.outputs()];
        for (int output = 0; output < places.length; output++) {
            int value = program.output(output);
            places[output] = value == XorProgram.ZERO ? XorProgram.ZERO : blocks[value];
        }
        return new Schedule(inputs, pebbles, statements, places);
    }
}
