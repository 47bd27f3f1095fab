/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;

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

    ProductProgram(int inputs, int outputs, int values, List<Statement> statements) {
        this.inputs = inputs;
        this.outputs = outputs;
        this.values = values;
        this.statements = statements;
    }

    /** The product of a matrix with the inputs, each row by itself: few values live at a time. */
    static ProductProgram plain(int[][] rows) {
        return new ProductProgramBuilder(rows).build(RowBasis.ofEachRow(rows), false);
    }

    /**
     * The same with fewer products. The rows are replaced by the basis of their span over GF(2) that has the fewest
     * different coefficients, and inputs with equal coefficients are added up before they are multiplied.
     *
     * @param rows at most {@link RowBasis#MOST_ROWS}
     */
    static ProductProgram shared(int[][] rows) {
        return new ProductProgramBuilder(rows).build(RowBasis.withFewestProducts(rows), true);
    }

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

    /** The number of look-ups, and of steps that take nibbles for them. */
    int lookUps() {
        return (int) statements.stream()
                .filter(statement -> statement instanceof LookUp || statement instanceof Nibble)
                .count();
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
                text.append(String.format(Locale.ROOT, "t%d = %d·t%d%n", times.to, times.constant, times.value));
            } else if (statement instanceof Xor xor) {
                text.append(String.format(Locale.ROOT, "t%d = %s%n", xor.to, xor.terms));
            }
        }
        return text.toString();
    }
}
