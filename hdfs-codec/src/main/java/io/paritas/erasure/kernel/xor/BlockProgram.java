/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The code of a {@link ScheduledProgram} for {@link BlockRunner}: blocks 0..inputs − 1 are those of the input strips, then come those
 * of the output strips, then scratch.
 *
 * <p>A pebble that becomes an output is in that output's block from the start. An output that is an input, zero or a copy of
 * another output is a statement at the end.
 *
 * @param scratch number of blocks beside those of the strips
 * @param code the statements, one after another: the number of arguments (1..{@value #MAX_ARGUMENTS}), the target, the
 *     arguments
 */
record BlockProgram(int inputs, int outputs, int scratch, int[] code) {
    /** The most arguments of one statement. */
    static final int MAX_ARGUMENTS = 8;

    static BlockProgram of(ScheduledProgram schedule) {
        return new Builder(schedule).build();
    }

    /** The number of blocks of strips. */
    int strips() {
        return inputs + outputs;
    }

    /** The code as statements. */
    List<Statement> statements() {
        List<Statement> statements = new ArrayList<>();
        for (int i = 0; i < code.length; i += code[i] + 2) {
            statements.add(new Statement(code[i + 1], Arrays.copyOfRange(code, i + 2, i + 2 + code[i])));
        }
        return statements;
    }

    private static final class Builder {
        private final ScheduledProgram schedule;
        private final int inputs;
        private final int outputs;
        /** The place of each pebble: an output's block or scratch. */
        private final Map<Integer, Integer> places = new HashMap<>();

        private final IntStream.Builder code = IntStream.builder();
        private int scratch;

        private Builder(ScheduledProgram schedule) {
            this.schedule = schedule;
            inputs = schedule.inputs();
            outputs = schedule.outputs();
        }

        private BlockProgram build() {
            BitSet placed = new BitSet();
            for (int output = 0; output < outputs; output++) {
                int block = schedule.output(output);
                if (block >= inputs && places.putIfAbsent(block, inputs + output) == null) {
                    placed.set(output);
                }
            }
            for (Statement statement : schedule.statements()) {
                write(
                        place(statement.target()),
                        Arrays.stream(statement.arguments())
                                .map(this::place)
                                .boxed()
                                .toList());
            }
            for (int output = placed.nextClearBit(0); output < outputs; output = placed.nextClearBit(output + 1)) {
                int block = schedule.output(output);
                int zero = inputs + output; // x xor x
                List<Integer> arguments = block == XorProgram.ZERO ? List.of(zero, zero) : List.of(place(block));
                write(inputs + output, arguments);
            }
            return new BlockProgram(inputs, outputs, scratch, code.build().toArray());
        }

        private int place(int block) {
            if (block < inputs) {
                return block;
            }
            return places.computeIfAbsent(block, pebble -> inputs + outputs + scratch++);
        }

        /** Splits statements with too many arguments; the target, if it is an argument, is read before it is written. */
        private void write(int target, List<Integer> arguments) {
            List<Integer> rest = new ArrayList<>(arguments);
            if (rest.size() > MAX_ARGUMENTS && rest.remove((Integer) target)) {
                rest.add(0, target);
            }
            while (!rest.isEmpty()) {
                List<Integer> some = rest.subList(0, Math.min(MAX_ARGUMENTS, rest.size()));
                code.add(some.size()).add(target);
                some.forEach(code::add);
                some.clear();
                if (!rest.isEmpty()) {
                    rest.add(0, target);
                }
            }
        }
    }
}
