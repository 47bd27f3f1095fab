/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Program.Definition;
import io.paritas.erasure.kernel.Program.Operation;
import io.paritas.erasure.kernel.xor.ScheduledProgram;
import io.paritas.erasure.kernel.xor.Statement;
import io.paritas.erasure.kernel.xor.XorProgram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A program over words in which each value is defined once: the form of both kinds of programs before they become PTX.
 *
 * @param inputs how many values are read; they come first
 * @param steps how each further value is computed from earlier ones
 * @param outputs the value of each output, or {@link #ZERO}
 */
record StraightLineProgram(int inputs, List<Step> steps, int[] outputs) {
    /** The output that is the xor of nothing. */
    static final int ZERO = -1;

    /** A value: the xor of its operands, at least one, or its only operand times x. */
    record Step(Operation operation, int[] operands) {}

    /** Converts a program over bytes. */
    static StraightLineProgram of(Program program) {
        List<Step> steps = new ArrayList<>();
        int[] numbers = IntStream.range(
                        0, program.inputs() + program.definitions().size())
                .toArray();
        int value = program.inputs();
        for (Definition definition : program.definitions()) {
            int[] operands = definition.operands().stream()
                    .mapToInt(operand -> numbers[operand])
                    .filter(operand -> operand != ZERO)
                    .toArray();
            numbers[value++] = operands.length == 0 ? ZERO : program.inputs() + steps.size();
            if (operands.length > 0) {
                steps.add(new Step(definition.operation(), operands));
            }
        }
        int[] outputs = IntStream.range(0, program.outputs())
                .map(output -> numbers[program.output(output)])
                .toArray();
        return new StraightLineProgram(program.inputs(), steps, outputs);
    }

    /** Converts a program over strips, in the order of its schedule. Its pebbles are dropped: the assembler allocates registers. */
    static StraightLineProgram of(ScheduledProgram schedule) {
        List<Step> steps = new ArrayList<>();
        int[] valueOf =
                IntStream.range(0, schedule.inputs() + schedule.pebbles()).toArray();
        for (Statement statement : schedule.statements()) {
            int[] operands = Arrays.stream(statement.arguments())
                    .map(block -> valueOf[block])
                    .toArray();
            valueOf[statement.target()] = schedule.inputs() + steps.size();
            steps.add(new Step(Operation.XOR, operands));
        }
        int[] outputs = IntStream.range(0, schedule.outputs())
                .map(output -> schedule.output(output) == XorProgram.ZERO ? ZERO : valueOf[schedule.output(output)])
                .toArray();
        return new StraightLineProgram(schedule.inputs(), steps, outputs);
    }

    /** Counts how often each value is an operand or an output. */
    int[] uses() {
        int[] uses = new int[inputs + steps.size()];
        steps.forEach(step -> Arrays.stream(step.operands).forEach(operand -> uses[operand]++));
        Arrays.stream(outputs).filter(output -> output != ZERO).forEach(output -> uses[output]++);
        return uses;
    }

    /** Returns the largest number of live values, if inputs are read at their first use. */
    int pressure() {
        int[] last = new int[inputs + steps.size()];
        Arrays.fill(last, -1);
        for (int i = 0; i < steps.size(); i++) {
            for (int operand : steps.get(i).operands) {
                last[operand] = i;
            }
        }
        boolean[] seen = new boolean[inputs];
        int live = 0;
        int most = 0;
        for (int i = 0; i < steps.size(); i++) {
            for (int operand : steps.get(i).operands) {
                if (operand < inputs && !seen[operand]) {
                    seen[operand] = true;
                    live++;
                }
            }
            live += last[inputs + i] > i ? 1 : 0;
            most = Math.max(most, live);
            int now = i;
            live -= (int) Arrays.stream(steps.get(i).operands)
                    .distinct()
                    .filter(operand -> last[operand] == now)
                    .count();
        }
        return Math.max(1, most);
    }
}
