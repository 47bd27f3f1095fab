/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.PublicApi;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A straight-line program over byte regions: makes each output of the inputs by xor and "times x" alone.
 *
 * <p>Values are numbered: the inputs first, then one value for each definition, in order. A definition is the xor of
 * earlier values (of none: zero) or an earlier value times x in GF(2<sup>8</sup>)/0x11d. No bit leaves its byte, so every program is
 * byte-local. Every program is linear, so two programs with the same {@link #coefficients} are interchangeable. Immutable
 * and thread-safe.
 */
@PublicApi
public final class Program {
    /** The operation of a definition. */
    public enum Operation {
        /** The xor of all operands; of none, zero. */
        XOR,
        /** The one operand times x. */
        TIMES_X
    }

    /**
     * The definition of one value by earlier ones.
     *
     * @param operation what it does with the operands
     * @param operands numbers of the values; not empty for {@link Operation#TIMES_X}
     */
    public record Definition(Operation operation, List<Integer> operands) {}

    private static final int HIGHEST_BIT = 7;
    private static final int REDUCTION = 0x1d;

    private final int inputs;
    private final List<Definition> definitions;
    /** The value of each output; always a definition's. */
    private final int[] outputs;

    private Program(int inputs, List<Definition> definitions, int[] outputs) {
        this.inputs = inputs;
        this.definitions = definitions;
        this.outputs = outputs;
    }

    /**
     * Creates the product of a matrix over GF(2<sup>8</sup>)/0x11d with the inputs, unoptimised: each row by itself, by
     * Horner's rule over the bits of its coefficients, from the highest down.
     *
     * @param rows one row of coefficients (0..255) for each output; rows are equally long
     * @throws IllegalArgumentException if a coefficient is not one of the field
     */
    public static Program product(int[][] rows) {
        Builder program = new Builder(rows[0].length);
        for (int[] row : rows) {
            for (int coefficient : row) {
                if (coefficient < 0 || coefficient > 255) {
                    throw new IllegalArgumentException("a coefficient must be 0 to 255, got " + coefficient);
                }
            }
            int accumulator = Builder.NONE;
            for (int bit = HIGHEST_BIT; bit >= 0; bit--) {
                accumulator = program.timesXPlus(accumulator, inputsWithBit(row, bit));
            }
            program.output(accumulator);
        }
        return program.build();
    }

    private static List<Integer> inputsWithBit(int[] row, int bit) {
        List<Integer> inputs = new ArrayList<>();
        for (int input = 0; input < row.length; input++) {
            if ((row[input] >> bit & 1) != 0) {
                inputs.add(input);
            }
        }
        return inputs;
    }

    /** Collects definitions in order. */
    static final class Builder {
        /** Stands for an accumulator that is still zero. */
        static final int NONE = -1;

        private final int inputs;
        private final List<Definition> definitions = new ArrayList<>();
        private final List<Integer> outputs = new ArrayList<>();

        Builder(int inputs) {
            this.inputs = inputs;
        }

        int xor(List<Integer> terms) {
            return define(Operation.XOR, terms);
        }

        int timesX(int value) {
            return define(Operation.TIMES_X, List.of(value));
        }

        private int define(Operation operation, List<Integer> operands) {
            definitions.add(new Definition(operation, List.copyOf(operands)));
            return inputs + definitions.size() - 1;
        }

        /** One step of Horner's rule: accumulator · x + terms. */
        int timesXPlus(int accumulator, List<Integer> terms) {
            if (accumulator == NONE) {
                return terms.isEmpty() ? NONE : xor(terms);
            }
            int shifted = timesX(accumulator);
            if (terms.isEmpty()) {
                return shifted;
            }
            List<Integer> all = new ArrayList<>(List.of(shifted));
            all.addAll(terms);
            return xor(all);
        }

        /** The next output; {@link #NONE} is zero. */
        int output(int value) {
            int result = value < inputs ? xor(value == NONE ? List.of() : List.of(value)) : value;
            outputs.add(result);
            return result;
        }

        Program build() {
            int[] values = new int[outputs.size()];
            for (int output = 0; output < values.length; output++) {
                values[output] = outputs.get(output);
            }
            return new Program(inputs, List.copyOf(definitions), values);
        }
    }

    /** Returns the program that feeds this one's outputs to the next as its inputs. */
    Program then(Program next) {
        Builder program = new Builder(inputs);
        program.definitions.addAll(definitions);
        List<Integer> numbers = new ArrayList<>(Arrays.stream(outputs).boxed().toList());
        for (Definition definition : next.definitions) {
            numbers.add(program.define(
                    definition.operation,
                    definition.operands.stream().map(numbers::get).toList()));
        }
        Arrays.stream(next.outputs).forEach(output -> program.output(numbers.get(output)));
        return program.build();
    }

    /** The number of regions that are read. */
    public int inputs() {
        return inputs;
    }

    /** The number of regions that are written. */
    public int outputs() {
        return outputs.length;
    }

    /** The definitions of the values after the inputs, in order, for compilers of programs. */
    public List<Definition> definitions() {
        return definitions;
    }

    /** Returns the number of an output's value; never an input's. */
    public int output(int output) {
        return outputs[output];
    }

    /** The number of binary xors. */
    public int xors() {
        return definitions.stream()
                .filter(definition -> definition.operation == Operation.XOR)
                .mapToInt(definition -> Math.max(0, definition.operands.size() - 1))
                .sum();
    }

    /** Returns the cheapest program found for the same matrix on a machine that xors three regions in one instruction. */
    public Program optimisedForTernaryXors() {
        return Horner.optimise(coefficients(), Horner.Xors.TERNARY);
    }

    /** The number of multiplications by x. */
    public int timesX() {
        int count = 0;
        for (Definition definition : definitions) {
            count += definition.operation == Operation.TIMES_X ? 1 : 0;
        }
        return count;
    }

    /** The number of region reads and writes when each definition is one pass. */
    public int memoryAccesses() {
        return definitions.stream()
                .mapToInt(definition -> definition.operands.size() + 1)
                .sum();
    }

    /**
     * Interprets the program for one symbol of each input: the reference for all kernels.
     *
     * @param symbols the byte of each input, 0..255
     * @return the byte of each output, 0..255
     */
    public int[] interpret(int... symbols) {
        int[] values = Arrays.copyOf(symbols, inputs + definitions.size());
        for (int i = 0; i < definitions.size(); i++) {
            Definition definition = definitions.get(i);
            int sum = 0;
            for (int operand : definition.operands) {
                sum ^= values[operand];
            }
            values[inputs + i] = definition.operation == Operation.XOR ? sum : timesX(sum);
        }
        int[] results = new int[outputs.length];
        for (int output = 0; output < results.length; output++) {
            results[output] = values[outputs[output]];
        }
        return results;
    }

    private static int timesX(int symbol) {
        int doubled = symbol << 1;
        return doubled < 256 ? doubled : (doubled & 0xff) ^ REDUCTION;
    }

    /** Returns the program's matrix over GF(2<sup>8</sup>)/0x11d, one row for each output. */
    public int[][] coefficients() {
        int[][] rows = new int[outputs.length][inputs];
        for (int input = 0; input < inputs; input++) {
            int[] unit = new int[inputs];
            unit[input] = 1;
            int[] column = interpret(unit);
            for (int output = 0; output < outputs.length; output++) {
                rows[output][input] = column[output];
            }
        }
        return rows;
    }

    /** One line per definition, such as {@code y0 = t0·x + x0 + x1}; a product by x that is used once has no line. */
    @Override
    public String toString() {
        return IntStream.range(0, definitions.size())
                .filter(i -> !isInlined(i))
                .mapToObj(i -> name(inputs + i) + " = " + expression(definitions.get(i)))
                .collect(Collectors.joining("\n"));
    }

    /** Whether the text shows the definition within the next one. */
    private boolean isInlined(int index) {
        int value = inputs + index;
        return definitions.get(index).operation == Operation.TIMES_X
                && Arrays.stream(outputs).noneMatch(output -> output == value)
                && definitions.stream()
                                .filter(user -> user.operands.contains(value))
                                .count()
                        == 1;
    }

    private String name(int value) {
        for (int output = 0; output < outputs.length; output++) {
            if (outputs[output] == value) {
                return "y" + output;
            }
        }
        return value < inputs ? "x" + value : "t" + (value - inputs);
    }

    private String expression(Definition definition) {
        if (definition.operation == Operation.TIMES_X) {
            return operand(definition.operands.get(0)) + "·x";
        }
        return definition.operands.isEmpty()
                ? "0"
                : definition.operands.stream().map(this::operand).collect(Collectors.joining(" + "));
    }

    private String operand(int value) {
        return value >= inputs && isInlined(value - inputs) ? expression(definitions.get(value - inputs)) : name(value);
    }
}
