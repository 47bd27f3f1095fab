/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Orders a program's definitions and allocates blocks to their values (Uezato, section 6). */
public enum Scheduler {
    /** The program's order, with a pebble for each definition: no optimisation. */
    NONE {
        @Override
        public ScheduledProgram schedule(XorProgram program) {
            List<Statement> statements = IntStream.range(0, program.size())
                    .mapToObj(i -> new Statement(program.inputs() + i, program.arguments(i)))
                    .toList();
            int[] outputs =
                    IntStream.range(0, program.outputs()).map(program::output).toArray();
            return new ScheduledProgram(program.inputs(), program.size(), statements, outputs);
        }
    },

    /** The program's order, with pebbles that are reused. */
    IN_ORDER {
        @Override
        public ScheduledProgram schedule(XorProgram program) {
            PebbleAllocator pebbles = new PebbleAllocator(program);
            IntStream.range(0, program.size()).forEach(i -> pebbles.emitAndTouch(i, program.arguments(i)));
            return pebbles.schedule();
        }
    },

    /** Depth first from the definitions without users: each value as late as possible before its use. */
    DEPTH_FIRST {
        @Override
        public ScheduledProgram schedule(XorProgram program) {
            BitSet used = new BitSet();
            for (int i = 0; i < program.size(); i++) {
                Arrays.stream(program.arguments(i)).forEach(used::set);
            }
            PebbleAllocator pebbles = new PebbleAllocator(program);
            BitSet visited = new BitSet();
            for (int i = 0; i < program.size(); i++) {
                if (!used.get(program.inputs() + i)) {
                    visit(program, i, visited, pebbles);
                }
            }
            return pebbles.schedule();
        }

        private void visit(XorProgram program, int definition, BitSet visited, PebbleAllocator pebbles) {
            visited.set(definition);
            for (int argument : program.arguments(definition)) {
                int child = argument - program.inputs();
                if (child >= 0 && !visited.get(child)) {
                    visit(program, child, visited, pebbles);
                }
            }
            pebbles.emitAndTouch(definition, program.arguments(definition));
        }
    },

    /** Bottom up: always the definition with the largest share of arguments among the blocks touched last. */
    GREEDY {
        @Override
        public ScheduledProgram schedule(XorProgram program) {
            PebbleAllocator pebbles = new PebbleAllocator(program);
            List<Integer> waiting =
                    new ArrayList<>(IntStream.range(0, program.size()).boxed().toList());
            while (!waiting.isEmpty()) {
                int next = hottest(program, waiting, pebbles);
                waiting.remove((Integer) next);
                // From the most to the least recently used; of those that were never used, values before inputs.
                int[] arguments = Arrays.stream(program.arguments(next))
                        .boxed()
                        .sorted(Comparator.comparing(pebbles::age)
                                .thenComparing(argument -> argument < program.inputs())
                                .thenComparing(Comparator.naturalOrder()))
                        .mapToInt(Integer::intValue)
                        .toArray();
                pebbles.emit(next, arguments);
            }
            return pebbles.schedule();
        }

        private int hottest(XorProgram program, List<Integer> waiting, PebbleAllocator pebbles) {
            int hottest = -1;
            double most = -1;
            for (int definition : waiting) {
                double share = shareOfHotArguments(program.arguments(definition), pebbles);
                if (share > most) {
                    most = share;
                    hottest = definition;
                }
            }
            return hottest;
        }

        /** Or −1 if an argument is not there yet. */
        private double shareOfHotArguments(int[] arguments, PebbleAllocator pebbles) {
            int hot = 0;
            for (int argument : arguments) {
                if (!pebbles.isAvailable(argument)) {
                    return -1;
                }
                hot += pebbles.age(argument) < HOT ? 1 : 0;
            }
            return (double) hot / arguments.length;
        }
    };

    /** The blocks of 2 KiB that a first-level cache of 32 KiB holds. */
    private static final int HOT = 16;

    /** Orders the program and places its values. */
    public abstract ScheduledProgram schedule(XorProgram program);
}
