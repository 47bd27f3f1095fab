/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Allocates blocks to the values of a program while statements are emitted (the pebble game, Uezato, section 6). A pebble is
 * free after the last use of its value, and may already be the target of that statement. Of the free ones, the most recently
 * used is taken, because it is most likely still cached.
 */
final class PebbleAllocator {
    private static final int NONE = -1;

    private final XorProgram program;
    private final int inputs;
    private final BitSet outputs = new BitSet();
    private final BitSet free = new BitSet();
    private final RecencyList recent;
    private final int[] remainingUses;
    /** The block of each value. */
    private final int[] blocks;

    private final List<Statement> statements = new ArrayList<>();
    private int pebbles;

    PebbleAllocator(XorProgram program) {
        this.program = program;
        inputs = program.inputs();
        recent = new RecencyList(inputs + program.size());
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

    /** The number of other blocks touched after this value's, or {@link RecencyList#NEVER}. */
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

    ScheduledProgram schedule() {
        int[] places = new int[program.outputs()];
        for (int output = 0; output < places.length; output++) {
            int value = program.output(output);
            places[output] = value == XorProgram.ZERO ? XorProgram.ZERO : blocks[value];
        }
        return new ScheduledProgram(inputs, pebbles, statements, places);
    }
}
