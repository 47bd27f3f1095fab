/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * A straight-line program over vectors of bytes whose dear operation is the product by a constant of
 * GF(2<sup>8</sup>)/0x11d, as it is for a processor that has an instruction for it. Values are numbered in the order of the
 * statements that make them. Immutable.
 */
final class ProductProgram {
    /** A step. {@code to} is the value that it makes. */
    sealed interface Statement permits Load, Times, Nibble, LookUp, Xor, Store {
        /** The values that it uses. */
        int[] uses();
    }

    /** Reads an input. */
    record Load(int to, int input) implements Statement {
        @Override
        public int[] uses() {
            return new int[0];
        }
    }

    /** Multiplies by a constant from 2 to 255. */
    record Times(int to, int value, int constant) implements Statement {
        @Override
        public int[] uses() {
            return new int[] {value};
        }
    }

    /** The lower or the upper four bits of every byte. */
    record Nibble(int to, int value, boolean isUpper) implements Statement {
        @Override
        public int[] uses() {
            return new int[] {value};
        }
    }

    /** The share of lower or upper four bits in the product by a constant. */
    record LookUp(int to, int nibble, int constant, boolean isUpper) implements Statement {
        @Override
        public int[] uses() {
            return new int[] {nibble};
        }
    }

    /** Adds up no, two or three values; none is zero. */
    record Xor(int to, List<Integer> terms) implements Statement {
        @Override
        public int[] uses() {
            return terms.stream().mapToInt(Integer::intValue).toArray();
        }
    }

    /** Writes an output. */
    record Store(int value, int output) implements Statement {
        @Override
        public int[] uses() {
            return new int[] {value};
        }
    }

    private final int inputs;
    private final int outputs;
    private final int values;
    private final List<Statement> statements;

    private ProductProgram(int inputs, int outputs, int values, List<Statement> statements) {
        this.inputs = inputs;
        this.outputs = outputs;
        this.values = values;
        this.statements = statements;
    }

    /** The product of a matrix with the inputs, each row by itself: few values live at a time. */
    static ProductProgram plain(int[][] rows) {
        return new Builder(rows).build(identity(rows.length), false);
    }

    /**
     * The same with fewer products. The rows are replaced by the basis of their span over GF(2) that has the fewest
     * different coefficients, and inputs with equal coefficients are added up before they are multiplied.
     *
     * @param rows at most {@link #MAX_SHARED_ROWS}
     */
    static ProductProgram shared(int[][] rows) {
        return new Builder(rows).build(cheapestBasis(rows), true);
    }

    /** The search looks at every sum of rows. */
    static final int MAX_SHARED_ROWS = 8;

    /** Returns the program that feeds this one's outputs to the next as its inputs. */
    ProductProgram then(ProductProgram next) {
        List<Statement> whole = new ArrayList<>();
        int[] between = new int[outputs];
        for (Statement statement : statements) {
            if (statement instanceof Store store) {
                between[store.output] = store.value;
            } else {
                whole.add(statement);
            }
        }
        int[] renamed = new int[next.values];
        int count = values;
        for (Statement statement : next.statements) {
            IntUnaryOperator name = value -> renamed[value];
            if (statement instanceof Load load) {
                renamed[load.to] = between[load.input];
            } else if (statement instanceof Times times) {
                renamed[times.to] = count;
                whole.add(new Times(count++, name.applyAsInt(times.value), times.constant));
            } else if (statement instanceof Xor xor) {
                renamed[xor.to] = count;
                whole.add(new Xor(
                        count++, xor.terms.stream().map(name::applyAsInt).toList()));
            } else if (statement instanceof Store store) {
                whole.add(new Store(name.applyAsInt(store.value), store.output));
            }
        }
        return new ProductProgram(inputs, next.outputs, count, List.copyOf(whole));
    }

    /** The same with another statement at some place: a mistake, for tests of what notices it. */
    ProductProgram withMistake(int place, Statement statement) {
        List<Statement> mistaken = new ArrayList<>(statements);
        mistaken.set(place, statement);
        return new ProductProgram(inputs, outputs, values, List.copyOf(mistaken));
    }

    /** The same for a processor that has no instruction for products, but looks 16 bytes up in a vector. */
    ProductProgram withLookUps() {
        List<Statement> lowered = new ArrayList<>();
        Map<Integer, Integer> lower = new HashMap<>();
        int count = values;
        for (Statement statement : statements) {
            if (statement instanceof Times times) {
                Integer nibbles = lower.get(times.value);
                if (nibbles == null) {
                    nibbles = count;
                    count += 2;
                    lower.put(times.value, nibbles);
                    lowered.add(new Nibble(nibbles, times.value, false));
                    lowered.add(new Nibble(nibbles + 1, times.value, true));
                }
                lowered.add(new LookUp(count, nibbles, times.constant, false));
                lowered.add(new LookUp(count + 1, nibbles + 1, times.constant, true));
                lowered.add(new Xor(times.to, List.of(count, count + 1)));
                count += 2;
            } else {
                lowered.add(statement);
            }
        }
        return new ProductProgram(inputs, outputs, count, List.copyOf(lowered));
    }

    int inputs() {
        return inputs;
    }

    int outputs() {
        return outputs;
    }

    /** How many values there are. */
    int values() {
        return values;
    }

    List<Statement> statements() {
        return statements;
    }

    /** The number of products. */
    int products() {
        return (int) statements.stream().filter(Times.class::isInstance).count();
    }

    /** The number of xor instructions of a machine that adds up so many values in one. */
    int xors(int terms) {
        return statements.stream()
                .filter(Xor.class::isInstance)
                .mapToInt(xor -> (xor.uses().length - 1 + terms - 2) / (terms - 1))
                .sum();
    }

    /** Interprets the program for one byte of each input, 0..255. */
    int[] interpret(int... bytes) {
        int[] value = new int[values];
        int[] result = new int[outputs];
        for (Statement statement : statements) {
            if (statement instanceof Load load) {
                value[load.to] = bytes[load.input];
            } else if (statement instanceof Times times) {
                value[times.to] = Bytes.product(value[times.value], times.constant);
            } else if (statement instanceof Nibble nibble) {
                value[nibble.to] = nibble.isUpper ? value[nibble.value] & 0xf0 : value[nibble.value] & 0x0f;
            } else if (statement instanceof LookUp lookUp) {
                value[lookUp.to] = Bytes.product(value[lookUp.nibble], lookUp.constant);
            } else if (statement instanceof Xor xor) {
                value[xor.to] = xor.terms.stream().mapToInt(term -> value[term]).reduce(0, (a, b) -> a ^ b);
            } else if (statement instanceof Store store) {
                result[store.output] = value[store.value];
            }
        }
        return result;
    }

    /** One line for each statement but loads and stores, such as {@code t7 = 142·t3}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Statement statement : statements) {
            if (statement instanceof Times times) {
                text.append("t%d = %d·t%d%n".formatted(times.to, times.constant, times.value));
            } else if (statement instanceof Xor xor) {
                text.append("t%d = %s%n".formatted(xor.to, xor.terms));
            }
        }
        return text.toString();
    }

    /** A row of the basis is a set of rows, as bits. */
    private static int[] identity(int rows) {
        return IntStream.range(0, rows).map(row -> 1 << row).toArray();
    }

    /** The sets of rows with the fewest products that span all. Greedy is optimal: independent sets are a matroid. */
    private static int[] cheapestBasis(int[][] rows) {
        int[] sets = IntStream.range(1, 1 << rows.length)
                .boxed()
                .sorted(Comparator.<Integer>comparingInt(set -> products(sum(rows, set)))
                        .thenComparingInt(Integer::bitCount))
                .mapToInt(Integer::intValue)
                .toArray();
        int[] basis = new int[rows.length];
        int[] reduced = new int[rows.length];
        int size = 0;
        for (int set : sets) {
            int rest = set;
            for (int i = 0; i < size; i++) {
                rest = Math.min(rest, rest ^ reduced[i]);
            }
            if (rest != 0) {
                reduced[size] = rest;
                basis[size++] = set;
            }
        }
        return basis;
    }

    private static int[] sum(int[][] rows, int set) {
        int[] sum = new int[rows[0].length];
        for (int row = 0; row < rows.length; row++) {
            if ((set >> row & 1) != 0) {
                int[] term = rows[row];
                Arrays.setAll(sum, j -> sum[j] ^ term[j]);
            }
        }
        return sum;
    }

    private static int products(int[] row) {
        return (int) Arrays.stream(row).filter(c -> c > 1).distinct().count();
    }

    /** Which rows of the basis add up to a row: a set, as bits. */
    private static int combination(int[] basis, int row) {
        for (int set = 1; set < 1 << basis.length; set++) {
            int sum = 0;
            for (int i = 0; i < basis.length; i++) {
                sum ^= (set >> i & 1) * basis[i];
            }
            if (sum == 1 << row) {
                return set;
            }
        }
        throw new IllegalStateException("no basis: " + Arrays.toString(basis));
    }

    /** Writes the statements: inputs in order, each followed by what can be computed of it. */
    private static final class Builder {
        /** The most values of one xor instruction. */
        private static final int TERMS = 3;

        private final int[][] rows;
        private final int inputs;
        private final List<Statement> statements = new ArrayList<>();
        private int values;

        Builder(int[][] rows) {
            this.rows = rows;
            this.inputs = rows[0].length;
        }

        ProductProgram build(int[] basis, boolean grouped) {
            List<SortedMap<Integer, List<Integer>>> groups = Arrays.stream(basis)
                    .mapToObj(set -> groups(sum(rows, set), grouped))
                    .toList();
            List<Deque<Integer>> sums = Arrays.stream(basis)
                    .<Deque<Integer>>mapToObj(set -> new ArrayDeque<>())
                    .toList();
            Map<List<Integer>, Integer> known = new HashMap<>();
            for (int input = 0; input < inputs; input++) {
                int last = input;
                statements.add(new Load(values, input));
                known.put(List.of(input), values++);
                for (int i = 0; i < basis.length; i++) {
                    Deque<Integer> sum = sums.get(i);
                    groups.get(i).forEach((key, members) -> {
                        if (members.get(members.size() - 1) == last) {
                            add(sum, times(sumOf(known, members), key & 255));
                        }
                    });
                }
            }
            int[] combinations = IntStream.range(0, rows.length)
                    .map(row ->
                            basis.length == rows.length && basis[row] == 1 << row ? 1 << row : combination(basis, row))
                    .toArray();
            finish(sums, combinations);
            return new ProductProgram(inputs, rows.length, values, List.copyOf(statements));
        }

        /** The inputs of each coefficient; or, if they are not grouped, each input by itself. */
        private static SortedMap<Integer, List<Integer>> groups(int[] row, boolean grouped) {
            SortedMap<Integer, List<Integer>> groups = new TreeMap<>();
            for (int input = 0; input < row.length; input++) {
                if (row[input] != 0) {
                    groups.computeIfAbsent(grouped ? row[input] : input << 8 | row[input], key -> new ArrayList<>())
                            .add(input);
                }
            }
            return groups;
        }

        private int times(int value, int constant) {
            if (constant == 1) {
                return value;
            }
            statements.add(new Times(values, value, constant));
            return values++;
        }

        private int xor(List<Integer> terms) {
            statements.add(new Xor(values, terms));
            return values++;
        }

        /** Halves of a sum are sums that other rows may share. */
        private int sumOf(Map<List<Integer>, Integer> known, List<Integer> members) {
            Integer value = known.get(members);
            if (value == null) {
                int half = members.size() / 2;
                value = xor(List.of(
                        sumOf(known, members.subList(0, half)), sumOf(known, members.subList(half, members.size()))));
                known.put(List.copyOf(members), value);
            }
            return value;
        }

        private void add(Deque<Integer> sum, int value) {
            sum.add(value);
            if (sum.size() == TERMS) {
                sum.add(xor(List.of(sum.remove(), sum.remove(), sum.remove())));
            }
        }

        /** A row of the basis that only one output needs is not added up before. */
        private void finish(List<Deque<Integer>> sums, int[] combinations) {
            int[] shared = new int[sums.size()];
            for (int i = 0; i < shared.length; i++) {
                int bit = 1 << i;
                boolean isShared = Arrays.stream(combinations)
                                .filter(set -> (set & bit) != 0)
                                .count()
                        > 1;
                shared[i] = isShared ? total(sums.get(i)) : -1;
            }
            for (int output = 0; output < combinations.length; output++) {
                Deque<Integer> terms = new ArrayDeque<>();
                for (int i = 0; i < shared.length; i++) {
                    if ((combinations[output] >> i & 1) != 0) {
                        if (shared[i] >= 0) {
                            terms.add(shared[i]);
                        } else {
                            terms.addAll(sums.get(i));
                        }
                    }
                }
                statements.add(new Store(total(terms), output));
            }
        }

        private int total(Deque<Integer> terms) {
            if (terms.isEmpty()) {
                return xor(List.of());
            }
            while (terms.size() > 1) {
                terms.addFirst(
                        terms.size() == 2
                                ? xor(List.of(terms.remove(), terms.remove()))
                                : xor(List.of(terms.remove(), terms.remove(), terms.remove())));
            }
            return terms.remove();
        }
    }
}
