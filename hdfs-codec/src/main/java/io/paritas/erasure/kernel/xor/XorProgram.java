/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A straight-line program of xors over strips: a product with a matrix of bits. Immutable.
 *
 * <p>In single static assignment: values 0..inputs − 1 are the input strips ("constants" in the paper), value inputs + i
 * is definition i, the xor of two or more earlier and different values. Each output is a value; it may be an input, and
 * two may be the same. Uezato, section 3, calls this a multi-operand SLP.
 */
public final class XorProgram {
    /** The output that is the xor of nothing. */
    public static final int ZERO = -1;

    private final int inputs;
    private final int[][] definitions;
    private final int[] outputs;

    private XorProgram(int inputs, int[][] definitions, int[] outputs) {
        this.inputs = inputs;
        this.definitions = definitions;
        this.outputs = outputs;
    }

    /**
     * Creates the product without optimisation: one definition for each row.
     *
     * @param rows the inputs of each output
     */
    public static XorProgram ofRows(int inputs, List<BitSet> rows) {
        List<int[]> definitions = new ArrayList<>();
        int[] outputs = new int[rows.size()];
        for (int output = 0; output < outputs.length; output++) {
            BitSet row = rows.get(output);
            if (row.length() > inputs) {
                throw new IllegalArgumentException(
                        "a row must be a set of the inputs 0.." + (inputs - 1) + ", got " + row);
            }
            if (row.cardinality() > 1) {
                outputs[output] = inputs + definitions.size();
                definitions.add(row.stream().toArray());
            } else {
                outputs[output] = row.nextSetBit(0);
            }
        }
        return new XorProgram(inputs, definitions.toArray(int[][]::new), outputs);
    }

    /** Creates the program of a compression's binary definitions. */
    public static XorProgram of(Compression compression) {
        return new XorProgram(compression.constants(), compression.definitions(), compression.goals());
    }

    /**
     * Creates the optimised product, compressed by {@link Compression#xorRePair} and {@link #fused}.
     *
     * @param rows the inputs of each output
     * @param deadline when to stop compressing; a less compressed program computes the same
     */
    public static XorProgram optimised(int inputs, List<BitSet> rows, Deadline deadline) {
        return of(Compression.xorRePair(inputs, rows, deadline)).fused();
    }

    /** Returns the program with binary definitions only: an n-ary one becomes n − 1. */
    public XorProgram binary() {
        List<int[]> split = new ArrayList<>();
        int[] renamed = IntStream.range(0, inputs + definitions.length).toArray();
        for (int i = 0; i < definitions.length; i++) {
            int sum = renamed[definitions[i][0]];
            for (int argument = 1; argument < definitions[i].length; argument++) {
                split.add(new int[] {sum, renamed[definitions[i][argument]]});
                sum = inputs + split.size() - 1;
            }
            renamed[inputs + i] = sum;
        }
        return new XorProgram(inputs, split.toArray(int[][]::new), rename(outputs, renamed));
    }

    /**
     * XOR fusion (Uezato, section 5; deforestation): a definition that is no output and has one user moves into it. The number
     * of xors stays, memory accesses become fewer.
     */
    public XorProgram fused() {
        int[][] fused = definitions.clone();
        int[] users = users();
        int[] uses = uses();
        for (int i = 0; i < fused.length; i++) {
            // Users come later, so this definition has already received all that moves into it.
            if (uses[i] == 1 && users[i] >= 0) {
                int value = inputs + i;
                int user = users[i];
                int[] arguments = IntStream.concat(
                                Arrays.stream(fused[user]).filter(argument -> argument != value),
                                Arrays.stream(fused[i]))
                        .distinct()
                        .sorted()
                        .toArray();
                if (arguments.length == fused[user].length - 1 + fused[i].length) { // no argument in both
                    moveUses(fused[i], users, user);
                    fused[user] = arguments;
                    fused[i] = null;
                }
            }
        }
        return withoutGaps(fused);
    }

    private void moveUses(int[] arguments, int[] users, int user) {
        for (int argument : arguments) {
            if (argument >= inputs) {
                users[argument - inputs] = user;
            }
        }
    }

    private XorProgram withoutGaps(int[][] sparse) {
        int[] renamed = IntStream.range(0, inputs + sparse.length).toArray();
        List<int[]> dense = new ArrayList<>();
        for (int i = 0; i < sparse.length; i++) {
            if (sparse[i] != null) {
                renamed[inputs + i] = inputs + dense.size();
                dense.add(rename(sparse[i], renamed));
            }
        }
        return new XorProgram(inputs, dense.toArray(int[][]::new), rename(outputs, renamed));
    }

    private static int[] rename(int[] values, int[] names) {
        return Arrays.stream(values)
                .map(value -> value == ZERO ? ZERO : names[value])
                .toArray();
    }

    /** For each definition, how many definitions use it; outputs count one each. */
    private int[] uses() {
        int[] uses = new int[definitions.length];
        IntStream.concat(Arrays.stream(outputs), Arrays.stream(definitions).flatMapToInt(Arrays::stream))
                .filter(value -> value >= inputs)
                .forEach(value -> uses[value - inputs]++);
        return uses;
    }

    /** For each definition, the last definition that uses it, or −1. */
    private int[] users() {
        int[] users = new int[definitions.length];
        Arrays.fill(users, -1);
        for (int user = 0; user < definitions.length; user++) {
            moveUses(definitions[user], users, user);
        }
        return users;
    }

    /** The number of strips read. */
    public int inputs() {
        return inputs;
    }

    /** The number of strips written. */
    public int outputs() {
        return outputs.length;
    }

    /** The number of definitions. */
    int size() {
        return definitions.length;
    }

    /** The values that a definition adds; do not modify. */
    int[] arguments(int definition) {
        return definitions[definition];
    }

    /** The value of an output. */
    int output(int output) {
        return outputs[output];
    }

    /** #XOR: the number of binary xors. */
    public int xors() {
        return Arrays.stream(definitions)
                .mapToInt(arguments -> arguments.length - 1)
                .sum();
    }

    /** #MEM: the number of strip reads and writes. */
    public int memoryAccesses() {
        return Arrays.stream(definitions)
                .mapToInt(arguments -> arguments.length + 1)
                .sum();
    }

    /**
     * Interprets the program byte by byte: the reference for all kernels.
     *
     * @param strips the inputs, equally long
     * @return the outputs
     */
    public byte[][] interpret(byte[][] strips) {
        int length = strips.length == 0 ? 0 : strips[0].length;
        byte[][] values = Arrays.copyOf(strips, inputs + definitions.length);
        for (int i = 0; i < definitions.length; i++) {
            byte[] sum = new byte[length];
            for (int argument : definitions[i]) {
                for (int x = 0; x < length; x++) {
                    sum[x] ^= values[argument][x];
                }
            }
            values[inputs + i] = sum;
        }
        return Arrays.stream(outputs)
                .mapToObj(value -> value == ZERO ? new byte[length] : values[value].clone())
                .toArray(byte[][]::new);
    }

    /** One line per definition, such as {@code v2 = x0 + x3 + v1}, then one per output, such as {@code y0 = v2}. */
    @Override
    public String toString() {
        return IntStream.range(0, definitions.length)
                        .mapToObj(i -> "v" + i + " = "
                                + Arrays.stream(definitions[i])
                                        .mapToObj(this::name)
                                        .collect(Collectors.joining(" + ")) + "\n")
                        .collect(Collectors.joining())
                + IntStream.range(0, outputs.length)
                        .mapToObj(i -> "y" + i + " = " + name(outputs[i]))
                        .collect(Collectors.joining("\n"));
    }

    private String name(int value) {
        return value == ZERO ? "0" : value < inputs ? "x" + value : "v" + (value - inputs);
    }
}
