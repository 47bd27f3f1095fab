/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An {@link XorProgram} in running order, with a block for each value: statements over blocks of strips. Immutable.
 *
 * <p>A block for a value that is not an input is a <i>pebble</i>. Pebbles are reused once their value is no longer needed,
 * except those of outputs.
 */
public final class ScheduledProgram {
    private final int inputs;
    private final int pebbles;
    private final List<Statement> statements;
    private final int[] outputs;

    /** @param outputs the block in which each output is at the end, or {@link XorProgram#ZERO} */
    ScheduledProgram(int inputs, int pebbles, List<Statement> statements, int[] outputs) {
        this.inputs = inputs;
        this.pebbles = pebbles;
        this.statements = List.copyOf(statements);
        this.outputs = outputs;
    }

    /** The number of strips read. */
    public int inputs() {
        return inputs;
    }

    /** The statements, in order. */
    public List<Statement> statements() {
        return statements;
    }

    /** The number of strips written. */
    public int outputs() {
        return outputs.length;
    }

    /** The block in which an output is at the end, or {@link XorProgram#ZERO}. */
    public int output(int output) {
        return outputs[output];
    }

    /** NVar: the number of pebbles. */
    public int pebbles() {
        return pebbles;
    }

    /** #XOR: the number of binary xors. */
    public int xors() {
        return statements.stream()
                .mapToInt(statement -> statement.arguments().length - 1)
                .sum();
    }

    /** #MEM: the number of block reads and writes. */
    public int memoryAccesses() {
        return statements.stream()
                .mapToInt(statement -> statement.arguments().length + 1)
                .sum();
    }

    /**
     * CCap: the blocks that an LRU cache must hold so that it misses no argument touched before.
     */
    public int cacheCapacity() {
        RecencyList recent = new RecencyList(inputs + pebbles);
        int capacity = 1;
        for (Statement statement : statements) {
            for (int argument : statement.arguments()) {
                if (recent.contains(argument)) {
                    capacity = Math.max(capacity, recent.age(argument) + 1);
                }
                recent.touch(argument);
            }
            recent.touch(statement.target());
        }
        return capacity;
    }

    /** One line per statement, such as {@code p2 = x0 + x3 + p1}, then one per output, such as {@code y0 = p2}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Statement statement : statements) {
            text.append(name(statement.target())).append(" = ");
            text.append(
                    Arrays.stream(statement.arguments()).mapToObj(this::name).collect(Collectors.joining(" + ")));
            text.append('\n');
        }
        for (int output = 0; output < outputs.length; output++) {
            text.append(output == 0 ? "" : "\n").append('y').append(output);
            text.append(" = ").append(name(outputs[output]));
        }
        return text.toString();
    }

    private String name(int block) {
        return block == XorProgram.ZERO ? "0" : block < inputs ? "x" + block : "p" + (block - inputs);
    }
}
