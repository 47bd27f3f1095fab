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
 * The instances of one role and the one queue before them: a free instance takes the oldest work (thesis, 8.3.1). Work that is
 * tied to what an instance is doing is left to others. Not thread-safe.
 */
final class Pool {
    private final Limits limits;
    private final TreeSet<Work> waiting = new TreeSet<>(Comparator.comparingLong(Work::number));
    private final Map<String, InstanceQueue> queues = new LinkedHashMap<>();
    /* The longest free first. */
    private final Set<InstanceQueue> free = new LinkedHashSet<>();

    /** An instance and the work that it gets. */
    record Assignment(InstanceQueue queue, List<Work> works) {}

    Pool(Limits limits) {
        this.limits = limits;
    }

    void add(InstanceQueue queue) {
        queues.put(queue.instance().id(), queue);
        free.add(queue);
    }

    Optional<InstanceQueue> queue(String id) {
        return Optional.ofNullable(queues.get(id));
    }

    void remove(InstanceQueue queue) {
        queues.remove(queue.instance().id(), queue);
        free.remove(queue);
    }

    /** The number of instances. */
    int size() {
        return queues.size();
    }

    Iterable<InstanceQueue> queues() {
        return queues.values();
    }

    /** Queues work, in the order of its number: what is tried again precedes newer work. */
    void add(Work work) {
        waiting.add(work);
    }

    void remove(Work work) {
        waiting.remove(work);
    }

    int waiting() {
        return waiting.size();
    }

    /** Marks an instance as free if it may take another batch. */
    void freed(InstanceQueue queue) {
        if (queues.get(queue.instance().id()) == queue && queue.batches().size() < limits.pipeline()) {
            free.add(queue);
        }
    }

    /** Takes the next batch from the queue; empty if no free instance can take any. */
    Optional<Assignment> next() {
        for (InstanceQueue queue : waiting.isEmpty() ? Set.<InstanceQueue>of() : free) {
            List<Work> works = take(queue);
            if (!works.isEmpty()) {
                free.remove(queue);
                return Optional.of(new Assignment(queue, works));
            }
        }
        return Optional.empty();
    }

    private List<Work> take(InstanceQueue queue) {
        List<Work> taken = new ArrayList<>();
        Iterator<Work> oldestFirst = waiting.iterator();
        while (oldestFirst.hasNext() && taken.size() < limits.batch()) {
            Work work = oldestFirst.next();
            boolean tied = queue.isTiedTo(work.tie()) || taken.stream().anyMatch(other -> other.tie() == work.tie());
            if (!tied) {
                oldestFirst.remove();
                taken.add(work);
            }
        }
        return taken;
    }
}
