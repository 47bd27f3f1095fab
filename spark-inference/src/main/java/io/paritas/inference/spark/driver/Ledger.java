/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.Instruction.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Decides what the tasks of one execution do. A unit's first attempt computes, always: a healthy task that only started late
 * is not reconstructed. Later attempts decode if they can. A unit is late when it has taken longer than {@code patience}
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
     * When to lose patience.
     *
     * @param patience in medians of the finished units
     * @param graceNanos how much more than a median is tolerated in any case
     * @param deadlineNanos after which nothing is computed any more; 0 is never
     */
    record Policy(double patience, long graceNanos, long deadlineNanos) {}

    /** A new one, whose blocks are kept under an id. */
    Ledger(Layout layout, Policy policy, int blocks, long now) {
        this.layout = layout;
        this.policy = policy;
        this.blocks = blocks;
        this.createdAt = now;
        this.stripes = new Stripe[layout.stripes()];
        Arrays.setAll(stripes, stripe -> Stripe.of(layout, layout.coded(stripe)));
    }

    int blocks() {
        return blocks;
    }

    /** An attempt asks what to do. */
    Instruction start(int unit, long task, long now) {
        boolean first = unit(unit).start(now);
        return instruct(unit, task, first, now);
    }

    private Instruction instruct(int unit, long task, boolean first, long now) {
        Instruction instruction = decide(stripe(unit), unit(unit), first, now);
        unit(unit).run(task, instruction.mode() == Mode.COMPUTE);
        return instruction;
    }

    private Instruction decide(Stripe stripe, Unit unit, boolean first, long now) {
        if (unit.decoded() != null) {
            return unit.decoded();
        }
        if (unit.level() > 0) {
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

    /** A unit's data is predicted by the model and kept; returns which parity it should compute next, -1 for none. */
    int computed(int unit, long now) {
        if (unit(unit).computed() && layout.hasData(layout.placeOf(unit))) {
            long duration = unit(unit).age(now);
            int place = Collections.binarySearch(durations, duration);
            durations.add(place < 0 ? -place - 1 : place, duration);
        }
        return nextParity(unit);
    }

    /** So many parities of a unit are computed and kept; returns which it should compute next, -1 for none. */
    int parity(int unit, int count) {
        unit(unit).parity(count);
        return nextParity(unit);
    }

    /** Which parity a unit should compute next, -1 for none. */
    int nextParity(int unit) {
        int next = stripe(unit).nextParity(layout.placeOf(unit));
        unit(unit).parityWanted(next >= 0);
        return next;
    }

    /** A unit was reconstructed, and its predictions are kept. */
    void decoded(int unit) {
        Stripe stripe = stripe(unit);
        unit(unit).decoded(instruction(Mode.FETCH_DECODED, stripe));
    }

    /** An attempt did not find the blocks of a source, which may be its own; returns what it is to do instead. */
    Instruction lost(int unit, long task, int source, long now) {
        Stripe stripe = stripe(unit);
        if (source == layout.placeOf(unit)) {
            unit(unit).fetchFailed();
        } else {
            stripe.unit(source).lost();
        }
        return instruct(unit, task, false, now);
    }

    /** An attempt is over. */
    void end(int unit, long task, boolean succeeded) {
        unit(unit).end(task, succeeded);
    }

    /** Takes the attempts of a unit's stripe that should be killed now: nobody needs to wait for them. */
    List<Long> overdue(int unit, long now) {
        List<Long> overdue = new ArrayList<>();
        for (int place = 0; place < layout.n(); place++) {
            if (dueIn(stripe(unit), place, now) == 0) {
                overdue.addAll(stripe(unit).unit(place).takeComputing());
            }
        }
        return overdue;
    }

    /** In how many nanoseconds {@link #overdue} is worth asking for; negative if only another event can tell. */
    long dueIn(int unit, long now) {
        return IntStream.range(0, layout.n())
                .mapToLong(place -> dueIn(stripe(unit), place, now))
                .filter(due -> due >= 0)
                .min()
                .orElse(-1);
    }

    /** In how many nanoseconds nobody needs to wait any more for what a unit computes; negative if somebody has to. */
    private long dueIn(Stripe stripe, int place, long now) {
        Unit unit = stripe.unit(place);
        if (!unit.computing()) {
            return -1;
        }
        if (unit.satisfied()) {
            boolean forNobody = unit.inParity() && stripe.complete();
            return forNobody ? Math.max(0, 2 * tolerated() - unit.age(now)) : -1;
        }
        if (expired(now)) {
            return 0;
        }
        boolean dispensable = stripe.decodable() || (stripe.complete() && !stripe.hasData(place));
        return dispensable ? Math.max(0, tolerated() - unit.age(now)) : -1;
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

    int units() {
        return layout.units();
    }

    int unitsPerStripe() {
        return layout.n();
    }

    private Stripe stripe(int unit) {
        return stripes[layout.stripeOf(unit)];
    }

    private Unit unit(int unit) {
        return stripe(unit).unit(layout.placeOf(unit));
    }
}
