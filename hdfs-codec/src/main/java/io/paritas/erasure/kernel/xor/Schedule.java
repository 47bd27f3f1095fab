/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An {@link XorProgram} in the order in which it runs, with a place for each value: the statements over blocks of strips.
 * Immutable.
 *
 * <p>A place for a value that is not an input is a <i>pebble</i>, one block of memory. Pebbles are used again as soon as
 * their value is not needed any more, except those of outputs.
 */
public final class Schedule {
    private final int inputs;
    private final int pebbles;
    private final List<Statement> statements;
    private final int[] outputs;

    /** @param outputs the block in which each output is at the end, or {@link XorProgram#ZERO} */
    Schedule(int inputs, int pebbles, List<Statement> statements, int[] outputs) {
        this.inputs = inputs;
        this.pebbles = pebbles;
        this.statements = List.copyOf(statements);
        this.outputs = outputs;
    }

    /** How many strips are read. */
    public int inputs() {
        return inputs;
    }

    /** What is computed, in order. */
    public List<Statement> statements() {
        return statements;
    }

    /** How many strips are written. */
    public int outputs() {
        return outputs.length;
    }

    /** The block in which an output is at the end, or {@link XorProgram#ZERO}. */
    public int output(int output) {
        return outputs[output];
    }

    /** NVar: how many pebbles are written. */
    public int pebbles() {
        return pebbles;
    }

    /** #XOR: how many times a block is added to another. */
    public int xors() {
        return statements.stream()
                .mapToInt(statement -> statement.arguments().length - 1)
                .sum();
    }

    /** #MEM: how many blocks are read or written. */
    public int memoryAccesses() {
        return statements.stream()
                .mapToInt(statement -> statement.arguments().length + 1)
                .sum();
    }

    /**
     * CCap: how many blocks a cache that forgets the least recently used one has to hold so that it misses no argument
     * that was touched before.
     */
    public int cacheCapacity() {
        RecentlyUsed recent = new RecentlyUsed(inputs + pebbles);
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
