/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.Layout.Placement;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The state of the n = k + r segments of a stripe. Not thread-safe. */
abstract class Stripe {
    final int k;
    final int r;
    private final boolean coded;
    private final Segment[] segments;
    private long wakesAt = Long.MIN_VALUE;

    private Stripe(Layout layout, int number) {
        this.k = layout.k();
        this.r = layout.r();
        this.coded = layout.coded(number);
        this.segments = new Segment[layout.n()];
        Arrays.setAll(segments, place -> new Segment());
    }

    /** A new stripe with its number in the layout; nothing is known of it yet. */
    static Stripe of(Layout layout, int number) {
        return layout.placement() == Placement.ROTATED ? new Rotated(layout, number) : new Separate(layout, number);
    }

    final Segment segment(int place) {
        return segments[place];
    }

    /** Whether somebody has to come back at a time, because nobody comes after now and before. */
    final boolean wake(long at, long now) {
        boolean comes = wakesAt > now && wakesAt <= at;
        wakesAt = comes ? wakesAt : at;
        return !comes;
    }

    /** Whether it has parity at all. */
    final boolean coded() {
        return coded;
    }

    /** When the first of the segments started that are {@link Segment#isOut out}; nothing if none is. */
    final OptionalLong outSince() {
        return IntStream.range(0, segments.length)
                .filter(place -> hasData(place) && segments[place].isOut())
                .mapToLong(place -> segments[place].startedAt())
                .min();
    }

    /** Whether a segment is out of which an attempt has failed or was repeated. */
    final boolean troubled() {
        return count(segment -> segment.isOut() && segment.troubled()) > 0;
    }

    /** Segments with data that have started, are waited for, and have delivered nothing. */
    final int out() {
        return count(Segment::isOut);
    }

    /** Segments with data that nobody waits for, and whose predictions are not there. */
    final int gone() {
        return count(segment -> segment.satisfied() && segment.level() == 0);
    }

    /** Segments with data that have not started. */
    final int unstarted() {
        return count(segment -> !segment.started());
    }

    /** Places with data that have not started, and whose predictions nobody else has made. */
    final List<Integer> absent() {
        return IntStream.range(0, segments.length)
                .filter(this::isAbsent)
                .boxed()
                .toList();
    }

    private boolean isAbsent(int place) {
        return hasData(place) && !segments[place].started() && segments[place].level() == 0;
    }

    /** Whether the data or a parity of a place is missing if as many segments should be decoded as can be. */
    final boolean mayBeMissing(int place) {
        return isAbsent(place) || isMissing(place, r);
    }

    /** Counts segments with data. */
    final int count(Predicate<Segment> what) {
        int count = 0;
        for (int place = 0; place < segments.length; place++) {
            count += hasData(place) && what.test(segments[place]) ? 1 : 0;
        }
        return count;
    }

    /** Whether every segment has what it needs; a segment that only has parity needs nothing. */
    final boolean complete() {
        for (int place = 0; place < segments.length; place++) {
            if (hasData(place) && !segments[place].satisfied()) {
                return false;
            }
        }
        return true;
    }

    /** Whether nobody waits for a segment that has started; a query with a limit may never ask for the others. */
    final boolean settled() {
        return count(segment -> segment.started() && !segment.satisfied()) == 0;
    }

    /** Whether the segments without predictions can be decoded. */
    final boolean decodable() {
        return coded && lost() > 0 && lost() <= r && suffices(lost());
    }

    /** Segments whose predictions are there to be decoded from, as a set of bits. */
    final int sources() {
        int sources = 0;
        for (int place = 0; place < segments.length; place++) {
            sources |= isSource(place) ? 1 << place : 0;
        }
        return sources;
    }

    abstract boolean hasData(int place);

    /** Segments with data whose predictions cannot be had. */
    abstract int lost();

    /** Places whose next parity is missing, if as many segments should be decoded. */
    abstract List<Integer> missing(int wanted);

    /** Whether a place is among those, or would be if it took all of them. */
    abstract boolean isMissing(int place, int wanted);

    /** The next parity of a place; -1 if its data is missing. */
    abstract int nextParity(int place);

    /** Whether what there is suffices for so many lost segments. */
    abstract boolean suffices(int lost);

    abstract boolean isSource(int place);

    /** Every segment has data and parities. */
    private static final class Rotated extends Stripe {
        Rotated(Layout layout, int number) {
            super(layout, number);
        }

        @Override
        boolean hasData(int place) {
            return true;
        }

        @Override
        int lost() {
            return k + r - Integer.bitCount(sources());
        }

        @Override
        List<Integer> missing(int wanted) {
            return IntStream.range(0, k + r)
                    .filter(place -> isMissing(place, wanted))
                    .boxed()
                    .toList();
        }

        @Override
        boolean isMissing(int place, int wanted) {
            return isSource(place) && segment(place).level() <= wanted;
        }

        @Override
        int nextParity(int place) {
            return segment(place).level() - 1;
        }

        /**
         * With e lost segments, every other one must have its data and its first e parities. A group then misses at most e data
         * batches; and of its first e parities, it misses only those on lost segments that hold no data batch of it.
         */
        @Override
        boolean suffices(int lost) {
            for (int place = 0; place < k + r; place++) {
                int level = segment(place).level();
                if (level > 0 && level <= lost) {
                    return false;
                }
            }
            return true;
        }

        @Override
        boolean isSource(int place) {
            return segment(place).level() > 0;
        }
    }

    /** The first k segments have data; segment k + j has nothing but parity j, which anybody can make before it starts. */
    private static final class Separate extends Stripe {
        Separate(Layout layout, int number) {
            super(layout, number);
        }

        @Override
        boolean hasData(int place) {
            return place < k;
        }

        @Override
        int lost() {
            return k - Integer.bitCount(sources() & ((1 << k) - 1));
        }

        @Override
        List<Integer> missing(int wanted) {
            return IntStream.range(k, k + r)
                    .filter(place -> isMissing(place, wanted))
                    .limit(Math.max(0, wanted - Integer.bitCount(sources() >> k)))
                    .boxed()
                    .toList();
        }

        @Override
        boolean isMissing(int place, int wanted) {
            return place >= k && segment(place).level() <= 1;
        }

        @Override
        int nextParity(int place) {
            return place < k ? -1 : place - k;
        }

        @Override
        boolean suffices(int lost) {
            return Integer.bitCount(sources() >> k) >= lost;
        }

        @Override
        boolean isSource(int place) {
            return segment(place).level() > (place < k ? 0 : 1);
        }
    }
}
