/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Program.Definition;
import io.paritas.erasure.kernel.Program.Operation;
import io.paritas.erasure.kernel.xor.Schedule;
import io.paritas.erasure.kernel.xor.Statement;
import io.paritas.erasure.kernel.xor.XorProgram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A program over words, each value defined once: what both kinds of programs become before they are written as PTX.
 *
 * @param inputs how many values are read; they come first
 * @param steps how each further value is made of earlier ones
 * @param outputs the value of each output, or {@link #ZERO}
 */
record StraightLine(int inputs, List<Step> steps, int[] outputs) {
    /** The output that is the xor of nothing. */
    static final int ZERO = -1;

    /** One value: the xor of its operands, at least one; or its only operand times x. */
    record Step(Operation operation, int[] operands) {}

    /** A program over bytes. */
    static StraightLine of(Program program) {
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
        return new StraightLine(program.inputs(), steps, outputs);
    }

    /** A program over strips, in the order of its schedule; its pebbles are given up, registers are the assembler's. */
    static StraightLine of(Schedule schedule) {
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
        return new StraightLine(schedule.inputs(), steps, outputs);
    }

    /** How often each value is an operand or an output. */
    int[] uses() {
        int[] uses = new int[inputs + steps.size()];
        steps.forEach(step -> Arrays.stream(step.operands).forEach(operand -> uses[operand]++));
        Arrays.stream(outputs).filter(output -> output != ZERO).forEach(output -> uses[output]++);
        return uses;
    }

    /** The most values that are needed at a time, if inputs are read when they are first used. */
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
