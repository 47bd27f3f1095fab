/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.Instruction.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Decides what the tasks of one execution do. A segment's first attempt computes, always: a healthy task that only started late
 * is not reconstructed. Later attempts decode if they can. A segment is late when it has taken longer than {@code patience}
 * medians of the finished ones; its attempts are killed once its stripe can be decoded, so that Spark starts another one. One
 * that goes on with a parity that nobody needs any more, because it does not come to ask, is killed after twice that time.
 * What the first success did is what later attempts do, as long as the blocks are there.
 *
 * <p>Times are nanoseconds of any clock. Not thread-safe.
 */
final class Ledger {
    private final Layout layout;
    private final Policy policy;
    private final int blocks;
    private final long createdAt;
    private final Stripe[] stripes;
    private final List<Long> durations = new ArrayList<>();

    /**
     * When tasks are late, in nanoseconds.
     *
     * @param patience multiple of the median duration of the finished segments
     * @param graceNanos least time above the median
     * @param deadlineNanos when nothing is computed any more; 0 is never
     */
    record Policy(double patience, long graceNanos, long deadlineNanos) {
        static Policy of(LatePolicy late, long graceNanos) {
            return new Policy(late.patience(), graceNanos, TimeUnit.NANOSECONDS.convert(late.deadline()));
        }
    }

    /** A new one, whose blocks are kept under an id. */
    Ledger(Layout layout, Policy policy, int blocks, long now) {
        this.layout = layout;
        this.policy = policy;
        this.blocks = blocks;
        this.createdAt = now;
        this.stripes = new Stripe[layout.stripes()];
        Arrays.setAll(stripes, stripe -> Stripe.of(layout, stripe));
    }

    int blocks() {
        return blocks;
    }

    /** An attempt asks what to do. */
    Instruction start(int segment, long task, long now) {
        boolean first = segment(segment).start(now);
        return instruct(segment, task, first, now);
    }

    private Instruction instruct(int segment, long task, boolean first, long now) {
        Instruction instruction = decide(stripe(segment), segment(segment), first, now);
        segment(segment).run(task, instruction.mode());
        return instruction;
    }

    private Instruction decide(Stripe stripe, Segment segment, boolean first, long now) {
        if (segment.decoded() != null) {
            return segment.decoded();
        }
        if (segment.level() > 0) {
            return instruction(Mode.FETCH_COMPUTED, stripe);
        }
        if (stripe.decodable() && (!first || expired(now))) {
            return instruction(Mode.DECODE, stripe);
        }
        return instruction(expired(now) ? Mode.GIVE_UP : Mode.COMPUTE, stripe);
    }

    private Instruction instruction(Mode mode, Stripe stripe) {
        return new Instruction(mode, blocks, stripe.sources(), stripe.lost());
    }

    /** A segment's data is predicted by the model and kept; returns which parity it should compute next, -1 for none. */
    int computed(int segment, long now) {
        if (segment(segment).computed() && layout.hasData(layout.placeOf(segment))) {
            long duration = segment(segment).age(now);
            int place = Collections.binarySearch(durations, duration);
            durations.add(place < 0 ? -place - 1 : place, duration);
        }
        return nextParity(segment);
    }

    /** So many parities of a segment are computed and kept; returns which it should compute next, -1 for none. */
    int parity(int segment, int count) {
        segment(segment).parity(count);
        return nextParity(segment);
    }

    /** Which parity a segment should compute next, -1 for none. */
    int nextParity(int segment) {
        int next = stripe(segment).nextParity(layout.placeOf(segment));
        segment(segment).nextParity(next);
        return next;
    }

    /** A segment was reconstructed, and its predictions are kept. */
    void decoded(int segment) {
        Stripe stripe = stripe(segment);
        segment(segment).decoded(instruction(Mode.FETCH_DECODED, stripe));
    }

    /** An attempt did not find the blocks of a source, which may be its own; returns what it is to do instead. */
    Instruction lost(int segment, long task, int source, long now) {
        Stripe stripe = stripe(segment);
        if (source == layout.placeOf(segment)) {
            segment(segment).fetchFailed();
        } else {
            stripe.segment(source).lost();
        }
        return instruct(segment, task, false, now);
    }

    /** An attempt has succeeded. */
    void succeeded(int segment, long task) {
        segment(segment).succeeded(task);
    }

    /** An attempt has failed, or was killed. */
    void failed(int segment, long task) {
        segment(segment).failed(task);
    }

    /** Takes the attempts of a segment's stripe that should be killed now: nobody needs to wait for them. */
    List<Long> overdue(int segment, long now) {
        List<Long> overdue = new ArrayList<>();
        for (int place = 0; place < layout.n(); place++) {
            if (dueIn(stripe(segment), place, now) == 0) {
                overdue.addAll(stripe(segment).segment(place).takeComputing());
            }
        }
        return overdue;
    }

    /** In how many nanoseconds {@link #overdue} is worth asking for; negative if only another event can tell. */
    long dueIn(int segment, long now) {
        return IntStream.range(0, layout.n())
                .mapToLong(place -> dueIn(stripe(segment), place, now))
                .filter(due -> due >= 0)
                .min()
                .orElse(-1);
    }

    /** In how many nanoseconds nobody needs to wait any more for what a segment computes; negative if somebody has to. */
    private long dueIn(Stripe stripe, int place, long now) {
        Segment segment = stripe.segment(place);
        if (!segment.computing()) {
            return -1;
        }
        if (segment.satisfied()) {
            boolean forNobody = segment.inParity() && stripe.complete();
            return forNobody ? Math.max(0, 2 * tolerated() - segment.age(now)) : -1;
        }
        if (expired(now)) {
            return 0;
        }
        boolean dispensable = stripe.decodable() || (stripe.complete() && !stripe.hasData(place));
        return dispensable ? Math.max(0, tolerated() - segment.age(now)) : -1;
    }

    /** Nanoseconds until the deadline; negative if there is none. */
    long deadlineIn(long now) {
        return policy.deadlineNanos == 0 ? -1 : Math.max(0, createdAt + policy.deadlineNanos - now);
    }

    private boolean expired(long now) {
        return deadlineIn(now) == 0;
    }

    private long tolerated() {
        if (durations.isEmpty()) {
            return 0;
        }
        long median = durations.get(durations.size() / 2);
        return Math.max((long) (policy.patience * median), median + policy.graceNanos);
    }

    int segments() {
        return layout.segments();
    }

    int segmentsPerStripe() {
        return layout.n();
    }

    private Stripe stripe(int segment) {
        return stripes[layout.stripeOf(segment)];
    }

    private Segment segment(int segment) {
        return stripe(segment).segment(layout.placeOf(segment));
    }
}
