/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A message of a task to the {@link Coordinator}. Each carries the layout and the policy, so that the driver needs no
 * registration that could outlive or miss an execution.
 *
 * <p>It crosses as {@value #LENGTH} numbers, for the reason that {@link Reply} has. Places: 0 kind, 1 operator, 2 execution,
 * 3 segment, 4 task, 5 argument, 6 k, 7 r, 8 segments, 9 share, 10 patience, 11 deadline in nanoseconds, 12 stage,
 * 13 placement, 14 subject, 15 start of parity. Share and patience are the bits of doubles; kind, placement and start are ordinals.
 *
 * @param argument of the kind; 0 for a kind without one
 * @param subject the segment that the message is about: whose parity it is, and otherwise the sender's
 * @param attempt the sender
 */
record TaskMessage(Kind kind, int argument, int subject, Attempt attempt, Layout layout, LatePolicy late) {

    /** What a task tells or asks. The order is that of the numbers on the wire. */
    enum Kind {
        /** The attempt starts: what should it do? */
        START,
        /** The data is predicted and kept: which parity next? The argument is 1 if there was none. */
        COMPUTED,
        /**
         * The first parities of the subject are computed and kept, as many as the argument says, or its data if that is 0: which
         * parity next?
         */
        PARITY,
        /** The blocks of the segment at the argument's place in the stripe are gone: what should the attempt do? */
        LOST,
        /** The data is reconstructed and kept. */
        DECODED,
        /** Which parity next? */
        NEXT,
        /** The attempt is over: it succeeded if the argument is 1. */
        END
    }

    private static final int LENGTH = 16;
    private static final Kind[] KINDS = Kind.values();
    private static final ParityStart[] STARTS = ParityStart.values();
    private static final Layout.Placement[] PLACEMENTS = Layout.Placement.values();

    /** The numbers that cross. */
    long[] encode() {
        return new long[] {
            kind.ordinal(),
            attempt.operator(),
            attempt.execution(),
            attempt.segment(),
            attempt.task(),
            argument,
            layout.k(),
            layout.r(),
            layout.segments(),
            Double.doubleToLongBits(layout.share()),
            Double.doubleToLongBits(late.patience()),
            TimeUnit.NANOSECONDS.convert(late.deadline()),
            attempt.stage(),
            layout.placement().ordinal(),
            subject,
            late.parity().ordinal()
        };
    }

    /**
     * Reads what crossed.
     *
     * @throws IllegalArgumentException if it is no message
     */
    static TaskMessage decode(Object message) {
        if (!(message instanceof long[] m) || m.length != LENGTH) {
            throw new IllegalArgumentException("messages to the coordinator must be " + LENGTH + " numbers, got "
                    + (message instanceof long[] numbers ? numbers.length + " numbers" : String.valueOf(message))
                    + ": use one version of Paritas on the driver and all executors");
        }
        return new TaskMessage(
                KINDS[(int) m[0]],
                (int) m[5],
                (int) m[14],
                new Attempt((int) m[1], m[2], (int) m[12], (int) m[3], m[4]),
                new Layout((int) m[6], (int) m[7], (int) m[8], PLACEMENTS[(int) m[13]], Double.longBitsToDouble(m[9])),
                new LatePolicy(Double.longBitsToDouble(m[10]), Duration.ofNanos(m[11]), STARTS[(int) m[15]]));
    }
}
