/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What tasks do once their data is predicted. Parity is computed for stripes of which a segment is in danger: it has taken so long
 * that its parity would be needed soon, or an attempt at it has failed. Whoever comes to ask computes it, be it the parity of
 * its own segment or of one whose task has ended, in any stripe. Where nobody is in danger, a task ends if others want its slot,
 * and waits for those of its stripe otherwise.
 *
 * <p>Times are nanoseconds. Not thread-safe.
 */
final class ParityWork {
    private final Layout layout;
    private final Stripe[] stripes;
    private final Durations durations;
    /* Stripes of which a segment has started, and one is waited for. There may be many thousands, in none of which anybody is late. */
    private final Set<Integer> open = new HashSet<>();
    /* Coded ones of them, of which a segment is out: those in danger come first. */
    private final NavigableSet<Out> out = new TreeSet<>(Out.ORDER);
    private final Map<Integer, Out> outs = new HashMap<>();
    private int firstUnstarted;
    /* What tasks compute for others. */
    private final Map<Long, Making> making = new HashMap<>();
    private final Set<Long> waiting = new HashSet<>();

    /**
     * A stripe of which a segment is out.
     *
     * @param troubled whether one of them is, whatever its age
     * @param since when the first of them started
     */
    private record Out(boolean troubled, long since, int stripe) {
        static final Comparator<Out> ORDER = Comparator.comparing(Out::troubled)
                .reversed()
                .thenComparingLong(Out::since)
                .thenComparingInt(Out::stripe);
    }

    /**
     * A task computes parity.
     *
     * @param segment its own
     * @param target whose parity it is
     * @param since when it was told so first
     */
    private record Making(int segment, int target, long since) {}

    ParityWork(Layout layout, Stripe[] stripes, Durations durations) {
        this.layout = layout;
        this.stripes = stripes;
        this.durations = durations;
    }

    /** A segment has changed. */
    void changed(int segment) {
        int stripe = layout.stripeOf(segment);
        if (stripes[stripe].complete()) {
            open.remove(stripe);
        } else {
            open.add(stripe);
        }
        if (stripes[stripe].coded()) {
            order(stripe);
        }
    }

    private void order(int stripe) {
        Out before = outs.remove(stripe);
        if (before != null) {
            out.remove(before);
        }
        stripes[stripe].outSince().ifPresent(since -> {
            Out after = new Out(stripes[stripe].troubled(), since, stripe);
            outs.put(stripe, after);
            out.add(after);
        });
    }

    /** A task has ended. */
    void ended(long task) {
        waiting.remove(task);
        Making made = making.remove(task);
        if (made != null) {
            segment(made.target()).unmake(task);
        }
    }

    /** What a task does that has delivered the data of its segment. */
    Help help(int segment, long task, Others others, long now) {
        Making made = making.get(task);
        Integer before = made == null ? null : made.target();
        ended(task);
        Optional<Integer> target = target(segment, task, before, others, now);
        if (target.isPresent()) {
            int stripe = layout.stripeOf(target.get());
            making.put(task, new Making(segment, target.get(), target.get().equals(before) ? made.since() : now));
            segment(target.get()).make(task, now);
            segment(segment).stays(stripe, false, now);
            return Help.of(target.get(), stripes[stripe].nextParity(layout.placeOf(target.get())));
        }
        if (!others.waiting() && isWorthWaiting(layout.stripeOf(segment), others)) {
            int own = layout.stripeOf(segment);
            waiting.add(task);
            segment(segment).stays(own, othersStart(own, others), now);
            return new Help.Wait();
        }
        segment(segment).leaves();
        return Help.End.NONE;
    }

    /** Whose parity a task computes: what it has begun, its own, another one of its stripe, or any. */
    private Optional<Integer> target(int segment, long task, Integer before, Others others, long now) {
        int own = layout.stripeOf(segment);
        Stream<Integer> first = before == null ? Stream.of(own) : Stream.of(layout.stripeOf(before), own);
        return Stream.concat(first.filter(open::contains), inDanger(segment, task, others, now))
                .flatMap(stripe -> missing(stripes[stripe], others, now).stream()
                        .map(place -> stripe * layout.n() + place)
                        .sorted((a, b) -> Integer.compare(rank(a, before, segment), rank(b, before, segment))))
                .filter(target -> isFree(target, segment, task, now))
                .findFirst();
    }

    /**
     * Whether a task may compute anything of a stripe that could be missing. Where very many tasks hang, others compute the parity of nearly
     * all stripes in danger, and each question comes by all of these: so this allocates nothing.
     */
    private boolean isAnyFree(int stripe, int asker, long task, long now) {
        for (int place = 0; place < layout.n(); place++) {
            if (stripes[stripe].mayBeMissing(place) && isFree(stripe * layout.n() + place, asker, task, now)) {
                return true;
            }
        }
        return false;
    }

    /** Stripes of which a segment is in danger, and a task may compute something; the one of which one is out for longest first. */
    private Stream<Integer> inDanger(int asker, long task, Others others, long now) {
        long dangerous = dangerous(others);
        return out.stream()
                .takeWhile(stripe -> stripe.troubled() || now - stripe.since() >= dangerous)
                .filter(stripe -> isAnyFree(stripe.stripe(), asker, task, now))
                .map(Out::stripe);
    }

    private long dangerous(Others others) {
        double cost = layout.placement() == Layout.Placement.ROTATED ? 1.0 / layout.k() : 1;
        return durations.dangerous(cost, !others.waiting());
    }

    private static int rank(int target, Integer before, int own) {
        return before != null && target == before ? 0 : target == own ? 1 : 2;
    }

    /** Whether a task may compute a parity: nobody else does, or will because it has the inputs at hand. */
    private boolean isFree(int target, int asker, long task, long now) {
        if (segment(target).madeFor(task, durations.tolerated(), now) >= 0) {
            return false;
        }
        boolean comesToAsk = target != asker
                && segment(target).staysFor() == layout.stripeOf(target)
                && segment(target).silence(now) < durations.tolerated();
        return !comesToAsk;
    }

    /** Places of a stripe of which something is missing now. */
    private List<Integer> missing(Stripe stripe, Others others, long now) {
        if (!stripe.coded()) {
            return List.of();
        }
        long dangerous = dangerous(others);
        int inDanger =
                stripe.count(segment -> segment.isOut() && (segment.troubled() || segment.age(now) >= dangerous));
        return inDanger == 0 ? List.of() : missing(stripe, inDanger, others);
    }

    /**
     * Places whose data or parity is missing when so many segments should be decoded. If no task waits for a slot, nobody is about to
     * start the segments that have not started: a query with a limit may never ask for them. As many are then decoded as parity
     * allows, and somebody predicts the data of the others.
     */
    private List<Integer> missing(Stripe stripe, int out, Others others) {
        int lost = out + stripe.gone();
        List<Integer> absent = others.waiting() ? List.of() : stripe.absent();
        int tooMany = lost > layout.r() ? 0 : Math.max(0, lost + absent.size() - layout.r());
        List<Integer> missing = new ArrayList<>(absent.subList(0, tooMany));
        missing.addAll(stripe.missing(Math.min(layout.r(), lost + absent.size())));
        return missing;
    }

    /** Whether somebody may come late whose parity the task could compute then, and it has no segment of its own to start instead. */
    private boolean isWorthWaiting(int own, Others others) {
        if (others.several() && isAnyUnstarted()) {
            return false;
        }
        if (othersStart(own, others) || (open.contains(own) && mayWantParity(stripes[own], others))) {
            return true;
        }
        return waiting.size() < layout.n()
                && out.stream().anyMatch(stripe -> mayWantParity(stripes[stripe.stripe()], others));
    }

    /** Whether segments of a stripe may be about to start, and want its parity then. */
    private boolean othersStart(int stripe, Others others) {
        return stripes[stripe].coded() && stripes[stripe].unstarted() > 0 && others.silent() > 0;
    }

    /** What has started once has done so for good: those before need not be asked again. */
    private boolean isAnyUnstarted() {
        while (firstUnstarted < stripes.length && stripes[firstUnstarted].unstarted() == 0) {
            firstUnstarted++;
        }
        return firstUnstarted < stripes.length;
    }

    private boolean mayWantParity(Stripe stripe, Others others) {
        return stripe.coded()
                && stripe.out() > 0
                && !missing(stripe, stripe.out(), others).isEmpty();
    }

    /** For how many nanoseconds a task has computed for a segment; nothing if it does not. */
    OptionalLong took(long task, int target, long now) {
        Making made = making.get(task);
        return made != null && made.target() == target ? OptionalLong.of(now - made.since()) : OptionalLong.empty();
    }

    /** The segments whose tasks compute parity of a stripe. */
    Stream<Integer> helpers(int stripe) {
        return making.values().stream()
                .filter(made -> layout.stripeOf(made.target()) == stripe)
                .map(Making::segment);
    }

    /** In how many nanoseconds whoever computes parity of a stripe is given up; negative if nobody does. */
    long madeFor(int stripe, long now) {
        return IntStream.range(0, layout.n())
                .mapToLong(place -> stripes[stripe].segment(place).madeFor(durations.tolerated(), now))
                .max()
                .orElse(-1);
    }

    private Segment segment(int segment) {
        return stripes[layout.stripeOf(segment)].segment(layout.placeOf(segment));
    }
}
