/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.Program.Definition;
import io.paritas.erasure.kernel.Program.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A program as loops over arrays of longs, for one tile. C2 vectorises such loops (measured on JDK 17: three times the speed of
 * accumulators in registers). Units are copied to longs and back, by the platform's {@code memcpy}, because the interpreter is slow on a
 * {@code VarHandle}: the first stripe of a JVM, in units of 4 KiB, takes 2 ms in place of 5.
 *
 * <p>A definition takes over the accumulator of an operand that is not needed after it, so the plain form of a program needs only one
 * accumulator.
 */
final class PlainSteps implements TiledKernel.Pass {
    private static final long HIGH_BITS = 0x8080808080808080L;

    private enum Action {
        COPY,
        ADD,
        TIMES_X,
        STORE
    }

    /** One loop over a row of longs: an input or an accumulator. The operands are other rows, or an output. */
    private record Step(Action action, int row, List<Integer> operands) {}

    /** Rows that are added at once; zeros fill them up, because each further kind of loop would wait for a compiler of its own. */
    private static final int TERMS = 3;

    private final Program program;
    private final List<Step> steps = new ArrayList<>();
    /** Inputs, zeros, and accumulators. */
    private final int rows;
    /** The rows of the last tile, unless a thread has them. */
    private final AtomicReference<long[][]> spare = new AtomicReference<>();

    PlainSteps(Program program) {
        this.program = program;
        this.rows = new Translation().run();
    }

    private int zeros() {
        return program.inputs();
    }

    /** Translates definitions into steps, and allocates accumulators. */
    private final class Translation {
        private final int[] lastUse =
                new int[program.inputs() + program.definitions().size()];
        private final int[] rowOf = new int[lastUse.length];
        private final Deque<Integer> free = new ArrayDeque<>();
        private int count = zeros() + 1;

        /** Uses loops, because streams would cost a short-lived JVM more than its first stripe. */
        int run() {
            for (int input = 0; input < program.inputs(); input++) {
                rowOf[input] = input;
            }
            List<Definition> definitions = program.definitions();
            for (int i = 0; i < definitions.size(); i++) {
                for (int operand : definitions.get(i).operands()) {
                    lastUse[operand] = i;
                }
            }
            for (int i = 0; i < definitions.size(); i++) {
                translate(i, definitions.get(i));
            }
            return count;
        }

        private void translate(int index, Definition definition) {
            List<Integer> operands = definition.operands();
            int first = first(index, operands);
            int target = operands.isEmpty() ? begun(zeros()) : target(index, operands.get(first));
            List<Integer> terms = new ArrayList<>();
            for (int i = 0; i < operands.size(); i++) {
                int operand = operands.get(i);
                if (i != first) {
                    terms.add(rowOf[operand]);
                    if (isLastUse(operand, index)) {
                        free.push(rowOf[operand]);
                    }
                }
            }
            while (terms.size() % TERMS != 0) {
                terms.add(zeros());
            }
            for (int from = 0; from < terms.size(); from += TERMS) {
                steps.add(new Step(Action.ADD, target, terms.subList(from, from + TERMS)));
            }
            if (definition.operation() == Operation.TIMES_X) {
                steps.add(new Step(Action.TIMES_X, target, List.of()));
            }
            int value = program.inputs() + index;
            rowOf[value] = target;
            for (int output = 0; output < program.outputs(); output++) {
                if (program.output(output) == value) {
                    steps.add(new Step(Action.STORE, target, List.of(output)));
                }
            }
            if (lastUse[value] == 0) {
                free.push(target);
            }
        }

        /** The place of the first operand whose row is not needed after this definition; 0 if there is none. */
        private int first(int index, List<Integer> operands) {
            for (int i = 0; i < operands.size(); i++) {
                if (isLastUse(operands.get(i), index)) {
                    return i;
                }
            }
            return 0;
        }

        /** The row of an operand that ends, or another one that begins as its copy. */
        private int target(int index, int operand) {
            return isLastUse(operand, index) ? rowOf[operand] : begun(rowOf[operand]);
        }

        /** A row that begins as the copy of another one. */
        private int begun(int row) {
            int target = free.isEmpty() ? count++ : free.pop();
            steps.add(new Step(Action.COPY, target, List.of(row)));
            return target;
        }

        private boolean isLastUse(int operand, int index) {
            return operand >= program.inputs() && lastUse[operand] == index;
        }
    }

    @Override
    public void apply(Object[] inputs, int[] offsets, Object[] outputs, int[] outputOffsets, int size) {
        int length = size / Long.BYTES;
        long[][] longs = memory(length);
        for (int input = 0; input < inputs.length; input++) {
            LongRange.of(inputs[input], offsets[input], size).get(longs[input], 0, length);
        }
        for (Step step : steps) {
            long[] row = longs[step.row];
            List<Integer> operands = step.operands;
            switch (step.action) {
                case COPY -> System.arraycopy(longs[operands.get(0)], 0, row, 0, length);
                case ADD -> add(length, row, longs[operands.get(0)], longs[operands.get(1)], longs[operands.get(2)]);
                case TIMES_X -> timesX(length, row);
                case STORE -> {
                    int output = operands.get(0);
                    LongRange.of(outputs[output], outputOffsets[output], size).put(row, 0, length);
                }
            }
        }
        spare.set(longs);
    }

    /** New memory for each tile would take longer to be zeroed than some programs run. */
    private long[][] memory(int length) {
        long[][] longs = spare.getAndSet(null);
        return longs == null || longs[0].length < length ? new long[rows][length] : longs;
    }

    private static void add(int length, long[] sum, long[] a, long[] b, long[] c) {
        for (int i = 0; i < length; i++) {
            sum[i] ^= a[i] ^ b[i] ^ c[i];
        }
    }

    /** Doubles each byte, and xors 0x1d = 1 + 4 + 8 + 16 into those whose high bit was set. */
    private static void timesX(int length, long[] sum) {
        for (int i = 0; i < length; i++) {
            long high = sum[i] & HIGH_BITS;
            long carry = high >>> 7;
            sum[i] = (sum[i] ^ high) << 1 ^ (carry | carry << 2 | carry << 3 | carry << 4);
        }
    }
}
