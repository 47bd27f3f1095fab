/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A straight-line program over byte regions: how each output is made of the inputs by xor and "times x" alone.
 *
 * <p>Multiplication by a constant of GF(2<sup>8</sup>)/0x11d is a sum of shifts by x, one for each set bit of the
 * constant. So a row of a matrix product is Horner's rule over the bits of its coefficients, from the highest down:
 * add every input whose coefficient has that bit, multiply by x, go on with the next bit. No table is looked up and no
 * bit changes its byte, which makes every program byte-local. Immutable and thread-safe.
 */
public final class Program {
    /** The step that multiplies an output's accumulator by x; every other step is the index of an input to add. */
    static final int TIMES_X = -1;

    private static final int HIGHEST_BIT = 7;
    private static final int REDUCTION = 0x1d;

    private final int inputs;
    private final int[][] steps;

    private Program(int inputs, int[][] steps) {
        this.inputs = inputs;
        this.steps = steps;
    }

    /**
     * The product of a matrix over GF(2<sup>8</sup>)/0x11d with the inputs.
     *
     * @param rows one row of coefficients (0..255) for each output; rows are equally long
     */
    public static Program product(int[][] rows) {
        return new Program(
                rows[0].length, Arrays.stream(rows).map(Program::horner).toArray(int[][]::new));
    }

    private static int[] horner(int[] coefficients) {
        IntStream.Builder steps = IntStream.builder();
        boolean started = false;
        for (int bit = HIGHEST_BIT; bit >= 0; bit--) {
            if (started) {
                steps.add(TIMES_X);
            }
            for (int input = 0; input < coefficients.length; input++) {
                if ((coefficients[input] >> bit & 1) != 0) {
                    steps.add(input);
                    started = true;
                }
            }
        }
        return steps.build().toArray();
    }

    /** How many byte regions are read. */
    public int inputs() {
        return inputs;
    }

    /** How many byte regions are written. */
    public int outputs() {
        return steps.length;
    }

    /** The steps of one output, in order; not to be changed. */
    int[] steps(int output) {
        return steps[output];
    }

    /** How many regions are added to another one. */
    public int xors() {
        return count(step -> step == TIMES_X ? 0 : 1)
                - (int) Arrays.stream(steps).filter(s -> s.length > 0).count();
    }

    /** How many times a region is multiplied by x. */
    public int timesX() {
        return count(step -> step == TIMES_X ? 1 : 0);
    }

    private int count(IntUnaryOperator weight) {
        return Arrays.stream(steps).flatMapToInt(Arrays::stream).map(weight).sum();
    }

    /**
     * Interprets the program for one byte: the meaning that every kernel has to match.
     *
     * @param input the byte of each input, 0..255
     * @return the byte of the output, 0..255
     */
    int interpret(int output, IntUnaryOperator input) {
        int accumulator = 0;
        for (int step : steps[output]) {
            accumulator = step == TIMES_X ? timesX(accumulator) : accumulator ^ input.applyAsInt(step);
        }
        return accumulator;
    }

    private static int timesX(int symbol) {
        int doubled = symbol << 1;
        return doubled < 256 ? doubled : (doubled & 0xff) ^ REDUCTION;
    }

    /** One line per output, such as {@code y0 = ((x1) x + x0 + x1)}. */
    @Override
    public String toString() {
        return IntStream.range(0, steps.length)
                .mapToObj(output -> "y" + output + " = " + expression(steps[output]))
                .collect(Collectors.joining("\n"));
    }

    private static String expression(int[] steps) {
        StringBuilder text = new StringBuilder();
        for (int step : steps) {
            if (step == TIMES_X) {
                text.insert(0, '(').append(")·x");
            } else {
                text.append(text.length() == 0 ? "" : " + ").append('x').append(step);
            }
        }
        return text.length() == 0 ? "0" : text.toString();
    }
}
