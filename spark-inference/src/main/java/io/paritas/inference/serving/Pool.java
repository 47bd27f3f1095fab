/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The instances of one role and the one queue before them: who is free takes what has waited for the longest time
 * (thesis, 8.3.1). Work that is tied to what an instance is doing is left to others. Not thread-safe.
 */
final class Pool {
    private final Limits limits;
    private final TreeSet<Work> waiting = new TreeSet<>(Comparator.comparingLong(Work::number));
    private final Map<String, Host> hosts = new LinkedHashMap<>();
    /* Who has been free for the longest time first. */
    private final Set<Host> free = new LinkedHashSet<>();

    /** An instance, and what it is to do. */
    record Assignment(Host host, List<Work> works) {}

    Pool(Limits limits) {
        this.limits = limits;
    }

    void add(Host host) {
        hosts.put(host.instance().id(), host);
        free.add(host);
    }

    Optional<Host> host(String id) {
        return Optional.ofNullable(hosts.get(id));
    }

    void remove(Host host) {
        hosts.remove(host.instance().id(), host);
        free.remove(host);
    }

    Iterable<Host> hosts() {
        return hosts.values();
    }

    /** Queues work; what has failed before comes before what is newer. */
    void add(Work work) {
        waiting.add(work);
    }

    void remove(Work work) {
        waiting.remove(work);
    }

    int waiting() {
        return waiting.size();
    }

    /** A batch has come back. */
    void freed(Host host) {
        if (hosts.get(host.instance().id()) == host && host.batches().size() < limits.pipeline()) {
            free.add(host);
        }
    }

    /** Takes the next batch out of the queue; empty if nobody is free for what waits. */
    Optional<Assignment> next() {
        for (Host host : waiting.isEmpty() ? Set.<Host>of() : free) {
            List<Work> works = take(host);
            if (!works.isEmpty()) {
                free.remove(host);
                return Optional.of(new Assignment(host, works));
            }
        }
        return Optional.empty();
    }

    private List<Work> take(Host host) {
        List<Work> taken = new ArrayList<>();
        Iterator<Work> oldestFirst = waiting.iterator();
        while (oldestFirst.hasNext() && taken.size() < limits.batch()) {
            Work work = oldestFirst.next();
            boolean tied = host.isTiedTo(work.tie()) || taken.stream().anyMatch(other -> other.tie() == work.tie());
            if (!tied) {
                oldestFirst.remove();
                taken.add(work);
            }
        }
        return taken;
    }
}
