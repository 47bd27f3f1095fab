/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A comparison of two kernels for one program on random bytes: is the candidate right, and does it become faster? */
final class Trial {
    /** The result of a trial. */
    enum Verdict {
        FASTER,
        SLOWER,
        WRONG
    }

    /** The memory of a trial's bytes. A kernel may have code for each kind. */
    enum Memory {
        HEAP(2048 + 13),
        /** Longer than the caches next to a processor, for kernels that copy within these. */
        LARGE_HEAP(128 * 1024 + 13),
        DIRECT(2048 + 13);

        /** Whole vectors, and some bytes more. */
        private final int length;

        Memory(int length) {
            this.length = length;
        }

        Regions allocate(int count) {
            if (this != DIRECT) {
                return Regions.of(new byte[count][length]);
            }
            ByteBuffer[] buffers = new ByteBuffer[count];
            Arrays.setAll(buffers, i -> ByteBuffer.allocateDirect(length));
            return Regions.of(buffers);
        }
    }

    /** Longer than C2 takes: a kernel that is not compiled by then never will be. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(20);

    /** A kernel that C2 has not compiled is much slower: one that is not slower than so many times the other one's time is compiled. */
    private static final int COMPILED = 2;

    /** How long a compiled kernel may take for a better time. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

    /** Less is chance. */
    private static final double BETTER = 0.98;

    /** A single round may be won by chance. */
    private static final int WINS = 2;

    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(5);

    /** A thread may wait for a processor longer than a round takes: one run says nothing then. */
    private static final int FEWEST_RUNS = 5;

    private final Kernel incumbent;
    private final Kernel candidate;
    private final long longest;
    private final LongSupplier clock;
    private final Regions inputs;
    private final Regions expected;
    private final Regions actual;

    Trial(Program program, Memory memory, Kernel incumbent, Kernel candidate) {
        this(program, memory, incumbent, candidate, LONGEST);
    }

    Trial(Program program, Memory memory, Kernel incumbent, Kernel candidate, long longest) {
        this(program, memory, incumbent, candidate, longest, System::nanoTime);
    }

    /** @param clock tells nanoseconds, for tests */
    Trial(Program program, Memory memory, Kernel incumbent, Kernel candidate, long longest, LongSupplier clock) {
        this.incumbent = incumbent;
        this.candidate = candidate;
        this.longest = longest;
        this.clock = clock;
        inputs = memory.allocate(program.inputs());
        expected = memory.allocate(program.outputs());
        actual = memory.allocate(program.outputs());
        Random random = new Random(program.inputs());
        byte[] bytes = new byte[memory.length];
        for (int input = 0; input < program.inputs(); input++) {
            random.nextBytes(bytes);
            inputs.write(input, 0, bytes, memory.length);
        }
    }

    /** The candidate is faster if it has better times in a row than the other one has ever had. */
    Verdict run() {
        long start = clock.getAsLong();
        long improved = start;
        long best = Long.MAX_VALUE;
        long bestOfIncumbent = Long.MAX_VALUE;
        int wins = 0;
        incumbent.apply(inputs, expected);
        do {
            long time = bestNanos(candidate, actual);
            if (!actual.contentEquals(expected)) {
                return Verdict.WRONG;
            }
            bestOfIncumbent = Math.min(bestOfIncumbent, bestNanos(incumbent, expected));
            wins = time < bestOfIncumbent ? wins + 1 : 0;
            if (wins == WINS) {
                return Verdict.FASTER;
            }
            if (time < BETTER * best) {
                best = time;
                improved = clock.getAsLong();
            }
            if (best < COMPILED * bestOfIncumbent && clock.getAsLong() - improved > PATIENCE) {
                return Verdict.SLOWER;
            }
        } while (clock.getAsLong() - start < longest);
        return Verdict.SLOWER;
    }

    /** The best run of a round, so that a thread that waits for a processor does not count against a kernel. */
    private long bestNanos(Kernel kernel, Regions outputs) {
        long start = clock.getAsLong();
        long before = start;
        long best = Long.MAX_VALUE;
        int runs = 0;
        do {
            kernel.apply(inputs, outputs);
            long now = clock.getAsLong();
            best = Math.min(best, now - before);
            before = now;
            runs++;
        } while (before - start < ROUND || runs < FEWEST_RUNS);
        return best;
    }
}
