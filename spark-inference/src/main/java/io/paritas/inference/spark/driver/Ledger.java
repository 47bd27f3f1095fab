/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.Instruction.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Decides what the tasks of one execution do. A segment's first attempt computes, always: a healthy task that only started late
 * is not reconstructed. Later attempts decode if they can. A segment is late when it has taken longer than {@code patience}
 * medians of the finished ones; its attempts are killed once another one would get its rows without the model, by decoding its
 * stripe or from a block, so that Spark starts one. Where it would not, because nobody was there to compute parity, they are killed
 * after twice that time, once, and predict again. One that stays for others whom nobody waits for any more, because it does not come
 * to ask, is killed after twice that time.
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
    private final Durations durations;
    private final ParityWork work;
    /* Stripes for which something may be due since they were asked for. */
    private final Set<Integer> changed = new TreeSet<>();
    private int unstarted;
    private long latestStart;

    /**
     * When tasks are late, in nanoseconds.
     *
     * @param patience multiple of the median duration of the finished segments
     * @param graceNanos least time above the median
     * @param deadlineNanos when nothing is computed any more; 0 is never
     * @param parity when parity is begun
     */
    record Policy(double patience, long graceNanos, long deadlineNanos, ParityStart parity) {
        Policy(double patience, long graceNanos, long deadlineNanos) {
            this(patience, graceNanos, deadlineNanos, ParityStart.LATE);
        }

        static Policy of(LatePolicy late, long graceNanos) {
            return new Policy(
                    late.patience(), graceNanos, TimeUnit.NANOSECONDS.convert(late.deadline()), late.parity());
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
        this.durations = new Durations(policy);
        this.work = new ParityWork(layout, stripes, durations);
        this.unstarted = layout.segments();
        this.latestStart = now;
    }

    int blocks() {
        return blocks;
    }

    /** An attempt asks what to do. */
    Instruction start(int segment, long task, long now) {
        boolean first = segment(segment).start(now);
        if (first) {
            unstarted--;
            latestStart = now;
        }
        changed(segment);
        return instruct(segment, task, first, now);
    }

    private Instruction instruct(int segment, long task, boolean first, long now) {
        Instruction instruction = layout.hasData(layout.placeOf(segment))
                ? decide(stripe(segment), segment(segment), first, now)
                : instruction(Mode.COMPUTE, stripe(segment)); // it has nothing to predict, and parity of it is kept
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

    /** A segment's data is predicted by the model and kept; returns what its task does next. */
    Help computed(int segment, long task, Others others, long now) {
        if (!layout.hasData(layout.placeOf(segment))) {
            return foundNone(segment, task, others, now);
        }
        if (segment(segment).computed(task)) {
            time(segment(segment).age(now));
        }
        return help(segment, task, others, now);
    }

    private void time(long duration) {
        if (durations.isEmpty()) { // from now on, others may be late
            IntStream.range(0, stripes.length).forEach(changed::add);
        }
        durations.add(duration);
    }

    /** A segment has no rows, so that it says nothing of how long others take; returns what its task does next. */
    Help foundNone(int segment, long task, Others others, long now) {
        segment(segment).deliver(task);
        return help(segment, task, others, now);
    }

    /** A task has computed and kept so many parities of a segment; its data if there are none. Nobody need have started it. */
    void parity(int segment, int count, long task, long now) {
        boolean whole = count == 0 || !layout.hasData(layout.placeOf(segment));
        if (whole && segment(segment).made()) { // it may be all that anybody ever predicts
            work.took(task, segment, now).ifPresent(this::time);
        }
        segment(segment).parity(count);
        changed(segment);
    }

    /** What a task does next that has delivered the data of its segment. */
    Help help(int segment, long task, Others others, long now) {
        changed(segment);
        return work.help(segment, task, others, now);
    }

    /* A task may compute parity for a stripe whose last segment has just been answered, and hang. */
    private void changed(int segment) {
        work.changed(segment);
        int stripe = layout.stripeOf(segment);
        changed.add(stripe);
        if (stripes[stripe].settled()) {
            work.helpers(stripe).map(layout::stripeOf).forEach(changed::add);
        }
    }

    /** Takes what {@link #overdue} and the like are worth asking for since this was asked last: a segment of each such stripe. */
    List<Integer> takeChanged() {
        List<Integer> taken =
                changed.stream().map(stripe -> stripe * layout.n()).toList();
        changed.clear();
        return taken;
    }

    /** Whether all segments have started, and the last one only so many nanoseconds ago. */
    boolean allStartedWithin(long nanos, long now) {
        return unstarted == 0 && now - latestStart < nanos;
    }

    /** Whether nothing was known of it so many nanoseconds ago. */
    boolean createdWithin(long nanos, long now) {
        return now - createdAt < nanos;
    }

    /** Whether somebody has to come back to a segment's stripe at a time, because nobody comes before. */
    boolean wake(int segment, long at, long now) {
        return stripe(segment).wake(at, now);
    }

    /** A segment was reconstructed, and its predictions are kept. */
    void decoded(int segment, long task) {
        Stripe stripe = stripe(segment);
        segment(segment).decoded(task, instruction(Mode.FETCH_DECODED, stripe));
        changed(segment);
    }

    /** An attempt did not find the blocks of a source, which may be its own; returns what it is to do instead. */
    Instruction lost(int segment, long task, int source, long now) {
        Stripe stripe = stripe(segment);
        if (source == layout.placeOf(segment)) {
            segment(segment).fetchFailed();
        } else {
            stripe.segment(source).lost();
        }
        changed(segment);
        return instruct(segment, task, false, now);
    }

    /** An attempt has succeeded. */
    void succeeded(int segment, long task) {
        segment(segment).succeeded(task);
        changed(segment);
        work.ended(task);
    }

    /** An attempt has failed, or was killed. */
    void failed(int segment, long task) {
        segment(segment).failed(task);
        changed(segment);
        work.ended(task);
    }

    /** Takes the attempts of a segment's stripe that should be killed now: nobody needs to wait for them. */
    List<Long> overdue(int segment, long now) {
        List<Long> overdue = new ArrayList<>();
        for (int place = 0; place < layout.n(); place++) {
            if (dueIn(stripe(segment), place, now) == 0) {
                overdue.addAll(take(stripe(segment).segment(place)));
            }
        }
        return overdue;
    }

    /**
     * Takes the attempts of a segment's stripe that should be killed now so that others predict the same: they are late, and there
     * is no parity.
     */
    List<Long> repeated(int segment, long now) {
        List<Long> repeated = new ArrayList<>();
        for (int place = 0; place < layout.n(); place++) {
            if (repeatedIn(layout.stripeOf(segment), place, now) == 0) {
                stripe(segment).segment(place).repeat();
                repeated.addAll(take(stripe(segment).segment(place)));
            }
        }
        return repeated;
    }

    private Set<Long> take(Segment segment) {
        Set<Long> taken = segment.takeComputing();
        taken.forEach(work::ended);
        return taken;
    }

    /**
     * In how many nanoseconds {@link #overdue} and {@link #repeated} are worth asking for; negative if only another event can tell.
     */
    long dueIn(int segment, long now) {
        return IntStream.range(0, layout.n())
                .mapToObj(place -> LongStream.of(
                        dueIn(stripe(segment), place, now), repeatedIn(layout.stripeOf(segment), place, now)))
                .flatMapToLong(due -> due)
                .filter(due -> due >= 0)
                .min()
                .orElse(-1);
    }

    /** In how many nanoseconds a segment is begun again; negative if there is no reason. */
    private long repeatedIn(int number, int place, long now) {
        Stripe stripe = stripes[number];
        Segment segment = stripe.segment(place);
        int begunAndLost = stripe.lost() - stripe.absent().size();
        boolean withoutParity = stripe.coded() && begunAndLost <= layout.r() && !stripe.decodable();
        if (!withoutParity
                || !stripe.hasData(place)
                || !segment.isOut()
                || !segment.computing()
                || segment.repeated()
                || durations.isEmpty()
                || expired(now)) {
            return -1;
        }
        return Math.max(0, Math.max(2 * durations.tolerated() - segment.ageOfLatest(now), work.madeFor(number, now)));
    }

    /** In how many nanoseconds nobody needs to wait any more for what a segment computes; negative if somebody has to. */
    private long dueIn(Stripe stripe, int place, long now) {
        Segment segment = stripe.segment(place);
        if (!segment.computing()) {
            return -1;
        }
        if (!segment.satisfied() && expired(now)) {
            return 0;
        }
        long longest = durations.tolerated();
        if (segment.satisfied()) {
            return staysForNobody(segment)
                    ? Math.max(0, Math.max(2 * longest - segment.age(now), longest - segment.silence(now)))
                    : -1;
        }
        // Another attempt at what has data is quick; at the others each does the same, which takes its time.
        long age = stripe.hasData(place) ? segment.age(now) : segment.ageOfLatest(now);
        return isDispensable(stripe, place, now) ? Math.max(0, longest - age) : -1;
    }

    /** Whether nobody waits for those that its task stays for. Those that it was told to await may start yet. */
    private boolean staysForNobody(Segment segment) {
        if (segment.staysFor() < 0) {
            return false;
        }
        Stripe stripe = stripes[segment.staysFor()];
        return segment.awaitsStarts() ? stripe.complete() : stripe.settled();
    }

    /** Whether nobody needs what a segment computes: another attempt would get its rows without the model, or there are none. */
    private boolean isDispensable(Stripe stripe, int place, long now) {
        return stripe.hasData(place)
                ? decide(stripe, stripe.segment(place), false, now).mode() != Mode.COMPUTE
                : stripe.decodable() || stripe.complete();
    }

    /** Nanoseconds until the deadline; negative if there is none. */
    long deadlineIn(long now) {
        return policy.deadlineNanos == 0 ? -1 : Math.max(0, createdAt + policy.deadlineNanos - now);
    }

    private boolean expired(long now) {
        return deadlineIn(now) == 0;
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
