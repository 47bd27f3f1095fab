/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A straight-line program over byte regions: how each output is made of the inputs by xor and "times x" alone.
 *
 * <p>Values are numbered: the inputs first, then one value for each definition, in order. A definition is the xor of
 * earlier values (of none: zero) or an earlier value times x in GF(2<sup>8</sup>)/0x11d. No table is looked up and no bit
 * changes its byte, which makes every program byte-local. Every program is linear, so its matrix says all that it
 * computes: two programs with the same {@link #coefficients} are interchangeable. Immutable and thread-safe.
 */
public final class Program {
    /** What a definition does with its operands. */
    public enum Operation {
        /** The xor of all operands; of none, zero. */
        XOR,
        /** The one operand times x. */
        TIMES_X
    }

    /**
     * How one value is made of earlier ones.
     *
     * @param operands the numbers of the values; not empty for {@link Operation#TIMES_X}
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
     * The product of a matrix over GF(2<sup>8</sup>)/0x11d with the inputs, in the plainest form: each row for itself, by
     * Horner's rule over the bits of its coefficients, from the highest down: add every input whose coefficient has that
     * bit, multiply by x, go on with the next bit.
     *
     * @param rows one row of coefficients (0..255) for each output; rows are equally long
     */
    public static Program product(int[][] rows) {
        Builder program = new Builder(rows[0].length);
        for (int[] row : rows) {
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
        private final IntStream.Builder outputs = IntStream.builder();

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
            return new Program(inputs, List.copyOf(definitions), outputs.build().toArray());
        }
    }

    /** The program that gives this one's outputs to another one as its inputs. */
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

    /** How many byte regions are read. */
    public int inputs() {
        return inputs;
    }

    /** How many byte regions are written. */
    public int outputs() {
        return outputs.length;
    }

    /** How each value after the inputs is made, in order; for those who compile programs. */
    public List<Definition> definitions() {
        return definitions;
    }

    /** The number of the value that an output is; never an input's. */
    public int output(int output) {
        return outputs[output];
    }

    /** How many xors of two regions, when each definition is summed up two by two. */
    public int xors() {
        return definitions.stream()
                .filter(definition -> definition.operation == Operation.XOR)
                .mapToInt(definition -> Math.max(0, definition.operands.size() - 1))
                .sum();
    }

    /** The cheapest program found for the same matrix, for a machine that xors three regions with one instruction. */
    public Program optimisedForTernaryXors() {
        return Horner.optimise(coefficients(), Horner.Xors.TERNARY);
    }

    /** How many times a region is multiplied by x. */
    public int timesX() {
        return (int) definitions.stream()
                .filter(definition -> definition.operation == Operation.TIMES_X)
                .count();
    }

    /** How often a region is read or written when each definition is one pass: operands plus one, summed up. */
    public int memoryAccesses() {
        return definitions.stream()
                .mapToInt(definition -> definition.operands.size() + 1)
                .sum();
    }

    /**
     * Interprets the program for one symbol of each input: the meaning that every kernel has to match.
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
        return Arrays.stream(outputs).map(value -> values[value]).toArray();
    }

    private static int timesX(int symbol) {
        int doubled = symbol << 1;
        return doubled < 256 ? doubled : (doubled & 0xff) ^ REDUCTION;
    }

    /** The matrix over GF(2<sup>8</sup>)/0x11d whose product with the inputs this is: one row for each output. */
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
