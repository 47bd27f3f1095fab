/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.Program.Definition;
import io.paritas.erasure.kernel.Program.Operation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Eight symbols at a time in a {@code long}: runs on every JVM, and is what other kernels are compared with.
 *
 * <p>Each step is one short loop over an accumulator of longs. C2 vectorises such loops by itself (measured on JDK 17:
 * three times the speed of keeping the accumulators in registers). A definition takes over the accumulator of an operand
 * that nobody needs after it, so the plain form of a program needs one accumulator only. Units are copied to and from
 * arrays of longs as a whole, which is fast from the first call on; views of single longs are slow until compiled.
 */
final class PlainKernel extends TiledKernel implements TiledKernel.Pass {
    private static final long HIGH_BITS = 0x8080808080808080L;

    private static final int CACHE = 32 * 1024;
    private static final int SMALLEST_TILE = 512;

    private enum Action {
        CLEAR,
        ADD,
        TIMES_X,
        STORE
    }

    /** One loop over an accumulator; the operand is an input or another accumulator, or an output. */
    private record Step(Action action, int accumulator, int operand) {}

    private final Program program;
    private final List<Step> steps = new ArrayList<>();
    private final int accumulators;

    PlainKernel(Program program) {
        super(Math.max(SMALLEST_TILE, CACHE / (program.inputs() + program.outputs())), Long.BYTES);
        this.program = program;
        accumulators = new Translation().run();
    }

    /** Turns definitions into steps, and hands out accumulators, which are numbered behind the inputs. */
    private final class Translation {
        private final int[] lastUse =
                new int[program.inputs() + program.definitions().size()];
        private final int[] accumulatorOf = new int[lastUse.length];
        private final Deque<Integer> free = new ArrayDeque<>();
        private int count;

        /** Loops, because streams would cost a short-lived JVM more than its first stripe. */
        int run() {
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
            int takenOver = endingOperand(index, definition);
            int target = takenOver < 0 ? fresh() : accumulatorOf[takenOver];
            for (int operand : definition.operands()) {
                if (operand != takenOver) {
                    boolean input = operand < program.inputs();
                    steps.add(new Step(Action.ADD, target, input ? operand : accumulatorOf[operand]));
                    if (isLastUse(operand, index)) {
                        free.push(accumulatorOf[operand]);
                    }
                }
            }
            if (definition.operation() == Operation.TIMES_X) {
                steps.add(new Step(Action.TIMES_X, target, 0));
            }
            int value = program.inputs() + index;
            accumulatorOf[value] = target;
            for (int output = 0; output < program.outputs(); output++) {
                if (program.output(output) == value) {
                    steps.add(new Step(Action.STORE, target, output));
                }
            }
            if (lastUse[value] == 0) {
                free.push(target);
            }
        }

        /** An operand whose accumulator nobody needs after this definition, or -1. */
        private int endingOperand(int index, Definition definition) {
            for (int operand : definition.operands()) {
                if (isLastUse(operand, index)) {
                    return operand;
                }
            }
            return -1;
        }

        private boolean isLastUse(int operand, int index) {
            return operand >= program.inputs() && lastUse[operand] == index;
        }

        private int fresh() {
            int accumulator = free.isEmpty() ? program.inputs() + count++ : free.pop();
            steps.add(new Step(Action.CLEAR, accumulator, 0));
            return accumulator;
        }
    }

    @Override
    Pass begin() {
        return this;
    }

    @Override
    public void apply(Object[] inputs, int[] offsets, Object[] outputs, int[] outputOffsets, int size) {
        long[][] longs = new long[program.inputs() + accumulators][size / Long.BYTES];
        for (int input = 0; input < program.inputs(); input++) {
            view(inputs[input], offsets[input], size).get(longs[input]);
        }
        for (Step step : steps) {
            long[] sum = longs[step.accumulator];
            switch (step.action) {
                case CLEAR -> Arrays.fill(sum, 0);
                case ADD -> add(sum, longs[step.operand]);
                case TIMES_X -> timesX(sum);
                case STORE ->
                    view(outputs[step.operand], outputOffsets[step.operand], size)
                            .put(sum);
            }
        }
    }

    private static LongBuffer view(Object array, int offset, int size) {
        return ByteBuffer.wrap((byte[]) array, offset, size)
                .order(ByteOrder.nativeOrder())
                .asLongBuffer();
    }

    private static void add(long[] sum, long[] other) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] ^= other[i];
        }
    }

    /** Doubles each byte; where a high bit falls out, 0x1d = 1 + 4 + 8 + 16 comes in. */
    private static void timesX(long[] sum) {
        for (int i = 0; i < sum.length; i++) {
            long high = sum[i] & HIGH_BITS;
            long carry = high >>> 7;
            sum[i] = (sum[i] ^ high) << 1 ^ (carry | carry << 2 | carry << 3 | carry << 4);
        }
    }
}
