/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What is done against slow and lost instances. All but {@link Coded} are what it is compared with (thesis, 8.3.1). */
public sealed interface Policy extends Serializable {
    /** In medians of the latencies: no query of use waits longer. */
    double LONGEST_PATIENCE = 1_000;

    /** The roles that must have instances. */
    default List<Role> roles() {
        return List.of(Role.DEPLOYED);
    }

    /** What it is, for people, such as {@code coded, k = 2, r = 1}. */
    String label();

    /** Nothing but another attempt if an instance is lost. With instances in the place of parities: equal resources. */
    record Uncoded() implements Policy {
        @Override
        public String label() {
            return "uncoded";
        }
    }

    /**
     * Coding groups.
     *
     * @param code of the groups
     * @param groupWait how long the parity of a group waits for more queries; the queries themselves wait for nothing
     * @param patience how long a query waits for its prediction while it could be reconstructed, in medians of the recent
     *     latencies; 0 for not at all. A median, because what is cut off above it does not change it: a percentile of the tail
     *     would follow its own cuts.
     */
    record Coded(Code code, Duration groupWait, double patience) implements Policy {

        /** Checks the times. */
        public Coded {
            requirePositive("the parity of a group must wait for queries", groupWait);
            if (!(patience == 0 || (patience >= 1 && patience <= LONGEST_PATIENCE))) {
                throw new IllegalArgumentException("the patience of a query must be 0, or from 1 to " + LONGEST_PATIENCE
                        + " medians of the latencies, got " + patience);
            }
        }

        @Override
        public String label() {
            return "coded, k = " + code.k() + ", r = " + code.r();
        }

        @Override
        public List<Role> roles() {
            return Stream.concat(
                            Stream.of(Role.DEPLOYED),
                            IntStream.range(0, code.r()).mapToObj(Role::parity))
                    .toList();
        }
    }

    /** Each query is sent to so many instances at once; the first answer is taken. */
    record Replicated(int copies) implements Policy {

        /** Checks the number. */
        public Replicated {
            if (copies < 2 || copies > 8) {
                throw new IllegalArgumentException("a query is replicated to 2 to 8 instances, got " + copies);
            }
        }

        @Override
        public String label() {
            return copies + " replicas of each query";
        }
    }

    /**
     * A query that is not answered when most are is sent to a second instance.
     *
     * @param percentile of the latencies of recent queries after which that is, between 0 and 100
     * @param first how long it is before there are enough of them
     */
    record Hedged(double percentile, Duration first) implements Policy {

        /** Checks the numbers. */
        public Hedged {
            if (!(percentile > 0 && percentile < 100)) {
                throw new IllegalArgumentException(
                        "queries are hedged after a percentile between 0 and 100 of the latencies, got " + percentile);
            }
            requirePositive("the first queries must be hedged after some time", first);
        }

        @Override
        public String label() {
            return "hedged after p" + percentile;
        }
    }

    /** Each query is also sent to a cheaper model, whose answer is taken if the median latency has passed without another. */
    record Backup() implements Policy {
        @Override
        public String label() {
            return "with a backup model";
        }

        @Override
        public List<Role> roles() {
            return List.of(Role.DEPLOYED, Role.BACKUP);
        }
    }

    private static void requirePositive(String what, Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException(what + " for a positive time, got " + time);
        }
    }
}
