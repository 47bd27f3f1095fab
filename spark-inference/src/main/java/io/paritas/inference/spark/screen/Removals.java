/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.Ledger;
import io.paritas.inference.screen.Suspicion;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends executors that are faulty, and those of faulty hosts, as far as the {@link ExclusionLimit} allows it. Thread-safe. */
final class Removals {
    private static final Logger LOG = LoggerFactory.getLogger(Removals.class);

    private static final String REFUSED = "Spark did not end it: end it by hand";

    private final Ledger ledger;
    private final Jury jury;
    private final Optional<ExclusionLimit> limit;
    private final Exclusion exclusion;
    private final Set<String> faulty = new HashSet<>();
    private final Set<String> faultyHosts = new HashSet<>();
    /* Those that Spark was asked to end; it does nothing when it is asked again. */
    private final Set<String> ended = new HashSet<>();
    private final Map<String, String> kept = new HashMap<>();

    /**
     * Ends nobody yet.
     *
     * @param limit empty if executors are reported only
     */
    Removals(Ledger ledger, Jury jury, Optional<ExclusionLimit> limit, Exclusion exclusion) {
        this.ledger = ledger;
        this.jury = jury;
        this.limit = limit;
        this.exclusion = exclusion;
    }

    /** An executor is heard: Spark may have started it on a faulty host since, or there may be room now to end it. */
    synchronized void heard(String executor, String host) {
        if (faultyHosts.contains(host) || faulty.contains(executor)) {
            end(executor, host);
        }
    }

    /** Looks at an executor that was wrong. */
    synchronized void wrong(String executor, Ledger.Entry entry) {
        if (entry.suspicion() == Suspicion.FAULTY) {
            boolean first = faulty.add(executor);
            end(executor, entry.host());
            if (first && !kept.containsKey(executor)) {
                LOG.error(
                        "Paritas: executor {} on {} is faulty: its predictions of this application so far cannot be trusted."
                                + " Take the machine out of service, or run paritas screen on it",
                        executor,
                        entry.host());
            }
        }
        Set<String> neighbours = ledger.ofFaultyHost(entry.host());
        if (!neighbours.isEmpty() && faultyHosts.add(entry.host())) {
            LOG.error(
                    "Paritas: several of the executors {} of {} were wrong, so that the host is left out. Take it out of service,"
                            + " or run paritas screen on it",
                    neighbours,
                    entry.host());
            neighbours.forEach(neighbour -> end(neighbour, entry.host()));
        }
    }

    private void end(String executor, String host) {
        if (limit.isEmpty() || ended.contains(executor) || !jury.live().contains(executor)) {
            return;
        }
        Optional<String> obstacle = limit.get().obstacle(left());
        if (obstacle.isPresent()) {
            if (!obstacle.get().equals(kept.put(executor, obstacle.get()))) {
                LOG.error(
                        "Paritas: executor {} on {} was wrong again and again, or its host. It is reported as suspect only, because {}",
                        executor,
                        host,
                        obstacle.get());
            }
            return;
        }
        kept.remove(executor);
        ended.add(executor);
        limit.get().count();
        exclusion.exclude(executor, () -> refused(executor));
    }

    /** Spark has not ended an executor. It is not counted among those that are left: Spark gives it no more tasks. */
    private synchronized void refused(String executor) {
        kept.put(executor, REFUSED);
    }

    private int left() {
        return (int) jury.live().stream()
                .filter(executor -> !ended.contains(executor))
                .count();
    }

    /** Why an executor that ought to be ended is not. */
    synchronized Optional<String> obstacle(String executor) {
        return Optional.ofNullable(kept.get(executor));
    }

    /** By executor that ought to be ended and is still there: why it is not. */
    synchronized Map<String, String> obstacles() {
        Map<String, String> there = new HashMap<>(kept);
        there.keySet().retainAll(jury.live());
        return there;
    }

    /** Whether Spark was asked to end an executor, and it has left or is about to. */
    synchronized boolean isEnded(String executor) {
        return ended.contains(executor) && !obstacles().containsKey(executor);
    }

    synchronized boolean isFaultyHost(String host) {
        return faultyHosts.contains(host);
    }

    /** Executors that are faulty, and those that were ended because their host is. */
    synchronized int faultyExecutors() {
        Set<String> all = new HashSet<>(faulty);
        all.addAll(ended);
        return all.size();
    }

    synchronized int endedExecutors() {
        return (int) ended.stream().filter(this::isEnded).count();
    }

    synchronized int keptExecutors() {
        return obstacles().size();
    }

    synchronized int faultyHosts() {
        return faultyHosts.size();
    }
}
