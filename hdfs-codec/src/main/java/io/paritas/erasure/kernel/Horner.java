/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.Program.Definition;
import io.paritas.erasure.kernel.Program.Operation;
import io.paritas.erasure.kernel.Sharing.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The optimiser of byte programs: finds a cheap program for a matrix.
 *
 * <p>A row is Horner's rule over the bits of its coefficients: eight sums of inputs with a "times x" between two of them.
 * Two things make it cheaper. {@linkplain Sharing Common parts} of the sums of all rows are computed once. And a row may
 * use the outputs before it as further inputs: with the right multiples of them the rest of the row has a lower degree,
 * which saves whole "times x" steps, the dearest ones. The multiples are found by trying all of them.
 */
final class Horner {
    /** The xor instructions of a machine, which decide whether sharing pays. */
    enum Xors {
        /** Two vectors at a time. */
        BINARY,
        /** Three vectors at a time, as C2 does with AVX-512. */
        TERNARY;

        private int instructions(int terms) {
            int xors = Math.max(0, terms - 1);
            return this == BINARY ? xors : (xors + 1) / 2;
        }
    }

    /** The instructions of "times x" beside its last xor: double, and make a mask of the high bits. */
    private static final int TIMES_X_INSTRUCTIONS = 3;

    /** The most lost units for which decoding through syndromes is tried. */
    private static final int MAX_SYNDROMES = 4;

    private static final int BITS = 8;
    private static final int FIELD = 256;

    private static final List<List<Policy>> POLICIES = List.of(
            List.of(),
            List.of(new Policy(2, 2)),
            List.of(new Policy(2, 3)),
            List.of(new Policy(3, 2)),
            List.of(new Policy(2, 4), new Policy(3, 2)),
            List.of(new Policy(3, 2), new Policy(2, 3)));

    private Horner() {}

    /**
     * Returns the cheapest program found for a matrix.
     *
     * @param rows one row of coefficients (0..255) for each output
     */
    static Program optimise(int[][] rows, Xors xors) {
        return Stream.concat(
                        Stream.of(rows, withOutputsAsInputs(rows))
                                .flatMap(extended -> candidates(rows[0].length, extended)),
                        throughSyndromes(rows))
                .min(Comparator.comparingInt(program -> cost(program, xors)))
                .orElseThrow();
    }

    private static Stream<Program> candidates(int inputs, int[][] rows) {
        return POLICIES.stream().map(policies -> program(inputs, rows, policies));
    }

    /**
     * Decoding in two steps: first the syndromes, the sums of the parity units read and the data units' contributions to
     * them; then the lost units, a small square matrix times the syndromes. The first step is as cheap as encoding.
     *
     * <p>The decode's matrix D shows both. The parity units are its last inputs, and their columns are the small matrix S.
     * The rows of S⁻¹ · D are the syndromes: coefficients of the generator, each with a column of the identity.
     */
    private static Stream<Program> throughSyndromes(int[][] rows) {
        return syndromes(rows).stream().flatMap(steps -> POLICIES.stream()
                .map(policies -> program(rows[0].length, steps.toSyndromes, policies))
                .min(Comparator.comparingInt(Program::xors))
                .stream()
                .flatMap(first ->
                        POLICIES.stream().map(policies -> first.then(program(rows.length, steps.toLost, policies)))));
    }

    /**
     * The two steps of decoding through syndromes.
     *
     * @param toSyndromes makes the syndromes of the units that are read
     * @param toLost makes the lost units of the syndromes
     */
    record Syndromes(int[][] toSyndromes, int[][] toLost) {}

    /** Splits the matrix of a decode into its two steps, where it is small enough and has them. */
    static Optional<Syndromes> syndromes(int[][] rows) {
        int lost = rows.length;
        int inputs = rows[0].length;
        if (lost > MAX_SYNDROMES || inputs <= lost) {
            return Optional.empty();
        }
        int[][] small = Arrays.stream(rows)
                .map(row -> Arrays.copyOfRange(row, inputs - lost, inputs))
                .toArray(int[][]::new);
        return Solver.solve(small, rows).map(first -> new Syndromes(first, small));
    }

    /** The vector instructions of a program, loads and stores not counted. */
    static int cost(Program program, Xors xors) {
        int cost = 0;
        for (Definition definition : program.definitions()) {
            if (definition.operation() == Operation.TIMES_X) {
                cost += TIMES_X_INSTRUCTIONS;
            } else {
                int terms = 0;
                for (int operand : definition.operands()) {
                    terms += isTimesX(program, operand) ? 2 : 1; // doubled, and the mask
                }
                cost += xors.instructions(terms);
            }
        }
        return cost;
    }

    private static boolean isTimesX(Program program, int value) {
        return value >= program.inputs()
                && program.definitions().get(value - program.inputs()).operation() == Operation.TIMES_X;
    }

    /** @param rows each over the inputs and, perhaps, the outputs before it */
    private static Program program(int inputs, int[][] rows, List<Policy> policies) {
        List<BitSet> sums = new ArrayList<>();
        for (int[] row : rows) {
            for (int bit = 0; bit < BITS; bit++) {
                BitSet sum = new BitSet();
                for (int term = 0; term < row.length; term++) {
                    sum.set(term, (row[term] >> bit & 1) != 0);
                }
                sums.add(sum);
            }
        }
        Sharing sharing = new Sharing(sums, inputs + rows.length);
        policies.forEach(sharing::apply);
        return new Assembly(inputs, sharing).run(rows.length);
    }

    /** Writes the definitions, each shared sum just before its first use. */
    private static final class Assembly {
        private final int inputs;
        private final Sharing sharing;
        private final Program.Builder program;
        /** The value of each output so far, and of each shared sum, by its term. */
        private final Map<Integer, Integer> values = new HashMap<>();

        Assembly(int inputs, Sharing sharing) {
            this.inputs = inputs;
            this.sharing = sharing;
            this.program = new Program.Builder(inputs);
        }

        Program run(int rows) {
            for (int row = 0; row < rows; row++) {
                int accumulator = Program.Builder.NONE;
                for (int bit = BITS - 1; bit >= 0; bit--) {
                    accumulator = step(accumulator, sharing.sum(row * BITS + bit));
                }
                values.put(inputs + row, program.output(accumulator));
            }
            return program.build();
        }

        private int step(int accumulator, List<Integer> terms) {
            List<Integer> operands = terms.stream().map(this::value).toList();
            return accumulator == Program.Builder.NONE && operands.size() == 1
                    ? operands.get(0)
                    : program.timesXPlus(accumulator, operands);
        }

        private int value(int term) {
            if (term < inputs) {
                return term;
            }
            Integer known = values.get(term);
            if (known == null) {
                known = program.xor(
                        sharing.shared(term).stream().map(this::value).toList());
                values.put(term, known);
            }
            return known;
        }
    }

    /** Each row as a combination of the inputs and the outputs before it, of the least degree, then of the fewest bits. */
    private static int[][] withOutputsAsInputs(int[][] rows) {
        int[][] extended = new int[rows.length][];
        for (int i = 0; i < rows.length; i++) {
            extended[i] = new RowSearch(rows, i).run();
        }
        return extended;
    }

    /** Tries to add every multiple of one and of two earlier rows to a row. */
    private static final class RowSearch {
        /** The search for pairs of earlier rows takes milliseconds for four rows, and grows with the cube. */
        private static final int MAX_ROWS_FOR_PAIRS = 4;

        private final int[][] rows;
        private final int row;
        private final int inputs;
        private int[] best;
        private int bestWeight;

        RowSearch(int[][] rows, int row) {
            this.rows = rows;
            this.row = row;
            this.inputs = rows[0].length;
            best = Arrays.copyOf(rows[row], inputs + rows.length);
            bestWeight = weight(best);
        }

        int[] run() {
            IntStream.range(0, row).forEach(first -> {
                tryMultiples(rows[row], first, new int[rows.length]);
                IntStream.range(0, rows.length <= MAX_ROWS_FOR_PAIRS ? first : 0)
                        .forEach(second -> {
                            for (int factor = 1; factor < FIELD; factor++) {
                                int[] factors = new int[rows.length];
                                factors[second] = factor;
                                tryMultiples(plusMultiple(rows[row], factor, rows[second]), first, factors);
                            }
                        });
            });
            return best;
        }

        private static int[] plusMultiple(int[] base, int factor, int[] other) {
            int[] products = MultiplicationTable.PRODUCT[factor];
            int[] sum = new int[base.length];
            for (int j = 0; j < sum.length; j++) {
                sum[j] = base[j] ^ products[other[j]];
            }
            return sum;
        }

        private void tryMultiples(int[] base, int other, int[] factors) {
            for (int factor = 1; factor < FIELD; factor++) {
                factors[other] = factor;
                if (canBeBetter(base, factor, rows[other])) {
                    int[] candidate = Arrays.copyOf(plusMultiple(base, factor, rows[other]), inputs + rows.length);
                    System.arraycopy(factors, 0, candidate, inputs, rows.length);
                    int weight = weight(candidate);
                    if (weight < bestWeight) {
                        best = candidate;
                        bestWeight = weight;
                    }
                }
            }
        }

        /** Whether no sum has a higher degree than the best row: ends most tries after one or two entries. */
        private boolean canBeBetter(int[] base, int factor, int[] other) {
            int limit = 2 << (bestWeight / FIELD);
            int[] products = MultiplicationTable.PRODUCT[factor];
            for (int j = 0; j < base.length; j++) {
                if ((base[j] ^ products[other[j]]) >= limit) {
                    return false;
                }
            }
            return true;
        }

        /** The degree first, then the number of bits. */
        private static int weight(int[] coefficients) {
            int all = 0;
            int bits = 0;
            for (int coefficient : coefficients) {
                all |= coefficient;
                bits += Integer.bitCount(coefficient);
            }
            int degree = all == 0 ? 0 : Integer.SIZE - 1 - Integer.numberOfLeadingZeros(all);
            return degree * FIELD + Math.min(bits, FIELD - 1);
        }
    }
}
