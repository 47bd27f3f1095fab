/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A policy against slow and lost instances. {@link Coded} is ParM; the others are its baselines (thesis, 8.3.1). Policies are
 * immutable. */
@PublicApi
public sealed interface Policy extends Serializable {
    /** The largest patience, in medians of the latencies. */
    double LONGEST_PATIENCE = 1_000;

    /** The roles that must have instances. */
    default List<Role> roles() {
        return List.of(Role.DEPLOYED);
    }

    /** The same for instances, which need no networks of front ends. */
    default Policy forInstances() {
        return this;
    }

    /** Whether a query of these values may be combined with others. It is answered in any case. */
    default boolean combines(float[] input) {
        return true;
    }

    /** Its name for people, such as {@code coded, k = 2, r = 1}. */
    String label();

    /** Only another attempt if an instance is lost. With more instances instead of parity models: equal resources. */
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
     * @param groupWait how long the parities of a group wait for more queries; the queries themselves do not wait
     * @param patience how long a query that could be reconstructed waits for its prediction, in medians of the recent
     *     latencies; 0 for not at all. A median, because cutting off the tail does not change it: a percentile of the tail
     *     would follow its own cuts
     */
    record Coded(Code code, Duration groupWait, double patience) implements Policy {

        /** Checks the times. */
        public Coded {
            requirePositive("the group wait", groupWait);
            if (!(patience == 0 || (patience >= 1 && patience <= LONGEST_PATIENCE))) {
                throw new IllegalArgumentException("patience must be 0, or 1 to " + LONGEST_PATIENCE
                        + " medians of the latencies, got " + patience);
            }
        }

        @Override
        public Policy forInstances() {
            return new Coded(code.withoutNetworks(), groupWait, patience);
        }

        @Override
        public boolean combines(float[] input) {
            return code.range().holds(input);
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

    /**
     * Sends each query to several instances at once and takes the first answer.
     *
     * @param copies of each query, 2 to 8
     */
    record Replicated(int copies) implements Policy {

        /** Checks the number. */
        public Replicated {
            if (copies < 2 || copies > 8) {
                throw new IllegalArgumentException("copies of a query must be 2 to 8, got " + copies);
            }
        }

        @Override
        public String label() {
            return copies + " replicas of each query";
        }
    }

    /**
     * Sends a late query to a second instance.
     *
     * @param percentile of the recent latencies after which a query is late, below 100; 0 for one that follows the load
     * @param first after how long a query is late while there are too few latencies
     */
    record Hedged(double percentile, Duration first) implements Policy {

        /** Checks the numbers. */
        public Hedged {
            if (!(percentile >= 0 && percentile < 100)) {
                throw new IllegalArgumentException(
                        "the hedge percentile must be above 0 and below 100, or 0 to follow the load, got "
                                + percentile);
            }
            requirePositive("the first hedge", first);
        }

        /** Whether the percentile follows the load. */
        boolean adapts() {
            return percentile == 0;
        }

        @Override
        public String label() {
            return adapts() ? "hedged by load" : "hedged after p" + percentile;
        }
    }

    /**
     * Does what is best at the present load: each query to two instances at once while they are nearly idle, a late query to a second one
     * at most loads, and each query to one when most are busy.
     *
     * @param first after how long a query is late while there are too few latencies
     */
    record Auto(Duration first) implements Policy {

        /** Checks the time. */
        public Auto {
            requirePositive("the first hedge", first);
        }

        Hedged hedged() {
            return new Hedged(0, first);
        }

        @Override
        public String label() {
            return "by load";
        }
    }

    /** Sends each query to a cheaper model as well, whose answer counts once the deployed model's median latency has passed. */
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

    /** Checks a time. */
    private static void requirePositive(String what, Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException(what + " must be a positive time, got " + time);
        }
    }
}
