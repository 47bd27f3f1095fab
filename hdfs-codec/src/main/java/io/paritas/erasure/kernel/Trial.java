/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A race of two kernels for one program, on random bytes: is the candidate right, and does it become the faster one? */
final class Trial {
    /** How a trial ends. */
    enum Verdict {
        FASTER,
        SLOWER,
        WRONG
    }

    /** More than C2 ever took here; a kernel that is not compiled by then never will be. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(5);

    /** Whole vectors, and some bytes that are none. */
    private static final int LENGTH = 2048 + 13;

    private final Kernel incumbent;
    private final Kernel candidate;
    private final long patience;
    private final byte[][] inputs;
    private final byte[][] expected;
    private final byte[][] actual;

    Trial(Program program, Kernel incumbent, Kernel candidate) {
        this(program, incumbent, candidate, PATIENCE);
    }

    Trial(Program program, Kernel incumbent, Kernel candidate, long patience) {
        this.incumbent = incumbent;
        this.candidate = candidate;
        this.patience = patience;
        inputs = new byte[program.inputs()][LENGTH];
        expected = new byte[program.outputs()][LENGTH];
        actual = new byte[program.outputs()][LENGTH];
        Random random = new Random(program.inputs());
        Arrays.stream(inputs).forEach(random::nextBytes);
    }

    Verdict run() {
        long end = System.nanoTime() + patience;
        incumbent.apply(Regions.of(inputs), Regions.of(expected));
        do {
            long candidateTime = bestNanos(candidate, actual);
            if (!Arrays.deepEquals(actual, expected)) {
                return Verdict.WRONG;
            }
            if (candidateTime < bestNanos(incumbent, expected)) {
                return Verdict.FASTER;
            }
        } while (System.nanoTime() < end);
        return Verdict.SLOWER;
    }

    /** The best run of a round: a thread that had to wait for a processor says nothing about a kernel. */
    private long bestNanos(Kernel kernel, byte[][] outputs) {
        Regions from = Regions.of(inputs);
        Regions to = Regions.of(outputs);
        long start = System.nanoTime();
        long before = start;
        long best = Long.MAX_VALUE;
        do {
            kernel.apply(from, to);
            long now = System.nanoTime();
            best = Math.min(best, now - before);
            before = now;
        } while (before - start < ROUND);
        return best;
    }
}
