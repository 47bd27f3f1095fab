/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * The instances of one role and the one queue before them: a free instance takes the oldest work (thesis, 8.3.1). Work that is
 * tied to what an instance is doing is left to others, and so is what has failed on it; work is sent alone for the last time. An
 * instance that takes more than twice as long as usual, or fails again and again, gets only what the others would not have done
 * sooner; now and then it gets a copy of work that another has, which shows when it is well again.
 * Not thread-safe.
 */
final class Pool {
    private static final double SLOW = 2;
    /* In usual times: often enough to notice soon that an instance is well, seldom enough to cost little. */
    private static final long BETWEEN_PROBES = 20;

    /* In nanoseconds, while too few are known. */
    private static final long FIRST = 1_000_000;

    private final Limits limits;
    private final TreeSet<Work> waiting = new TreeSet<>(Comparator.comparingLong(Work::number));
    /* Queries, each with how many of its works wait. */
    private final Map<Query, Integer> queries = new HashMap<>();
    private final Map<String, InstanceQueue> queues = new LinkedHashMap<>();
    /* The longest free first. */
    private final Set<InstanceQueue> free = new LinkedHashSet<>();
    /* By the number of rows. */
    private final Map<Integer, RecentLatencies> times = new HashMap<>();

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
        if (waiting.add(work) && work.query() != null) {
            queries.merge(work.query(), 1, Integer::sum);
        }
    }

    void remove(Work work) {
        if (waiting.remove(work)) {
            removed(work);
        }
    }

    private void removed(Work work) {
        if (work.query() != null) {
            queries.computeIfPresent(work.query(), (query, works) -> works == 1 ? null : works - 1);
        }
    }

    int waiting() {
        return waiting.size();
    }

    /** The number of queries that work waits for: one that waits twice, as a copy, is one. */
    int waitingQueries() {
        return queries.size();
    }

    /** The share of the instances that have nothing to do; 0 if there are none. */
    double idle() {
        long idle = queues.values().stream()
                .filter(queue -> queue.batches().isEmpty())
                .count();
        return (double) idle / Math.max(1, queues.size());
    }

    /** Marks an instance as free if it may take another batch. */
    void freed(InstanceQueue queue) {
        if (queues.get(queue.instance().id()) == queue && queue.batches().size() < limits.pipeline()) {
            free.add(queue);
        }
    }

    /** Notes that an instance has answered a batch. */
    void answered(InstanceQueue queue, Batch batch, long now) {
        long took = now - queue.since(batch);
        OptionalLong usual = usual(batch.works().size());
        queue.answered(usual.isPresent() ? (double) took / Math.max(1, usual.getAsLong()) : 1, now);
        times.computeIfAbsent(batch.works().size(), rows -> new RecentLatencies())
                .add(took);
    }

    /** The median of the time that an instance takes for a batch of so many rows; empty while that is not known. */
    OptionalLong usual(int rows) {
        RecentLatencies recent = times.get(rows);
        return recent == null ? OptionalLong.empty() : recent.median();
    }

    private boolean isSlow(InstanceQueue queue, long now) {
        return queue.slowness() > SLOW
                || queue.batches().values().stream()
                        .limit(1)
                        .anyMatch(batch -> now - queue.since(batch)
                                > SLOW * usual(batch.works().size()).orElse(Long.MAX_VALUE / 4));
    }

    /** Takes the next batch from the queue; empty if no free instance can or should take any. */
    Optional<Assignment> next(long now) {
        if (waiting.isEmpty()) {
            return Optional.empty();
        }
        List<InstanceQueue> slow = new ArrayList<>();
        for (InstanceQueue queue : free) {
            if (isSlow(queue, now)) {
                slow.add(queue);
                continue;
            }
            List<Work> works = take(queue, List.of(), now);
            if (!works.isEmpty()) {
                return assigned(queue, works);
            }
        }
        slow.sort(Comparator.comparingDouble(InstanceQueue::slowness));
        List<InstanceQueue> others = slow.isEmpty()
                ? List.of()
                : queues.values().stream()
                        .filter(queue -> !isSlow(queue, now) && isSoonFree(queue, now))
                        .toList();
        for (InstanceQueue queue : slow) {
            List<Work> works = take(queue, others, now);
            if (!works.isEmpty()) {
                return assigned(queue, works);
            }
        }
        return Optional.empty();
    }

    private Optional<Assignment> assigned(InstanceQueue queue, List<Work> works) {
        free.remove(queue);
        return Optional.of(new Assignment(queue, works));
    }

    /** Takes what is so far behind in the queue that the others, which are faster, would not have done it sooner. */
    private List<Work> take(InstanceQueue queue, List<InstanceQueue> others, long now) {
        List<Work> taken = new ArrayList<>();
        Iterator<Work> oldestFirst = waiting.iterator();
        int skipped = (int) Math.min(Integer.MAX_VALUE, others.size() * (queue.slowness() - 1));
        while (oldestFirst.hasNext() && taken.size() < limits.batch()) {
            Work work = oldestFirst.next();
            if (skipped > 0 && others.stream().anyMatch(other -> !hasFailedOn(other, work))) {
                skipped--;
                continue;
            }
            boolean tied = queue.isTiedTo(work.tie()) || taken.stream().anyMatch(other -> other.tie() == work.tie());
            boolean alone = isLastAttempt(work);
            if (!tied && !(alone && !taken.isEmpty()) && !isForOthers(work, queue, now)) {
                oldestFirst.remove();
                removed(work);
                taken.add(work);
                if (alone) { // it may be what the batches failed with
                    break;
                }
            }
        }
        return taken;
    }

    /** Whether work has failed and is given up if it fails again. */
    private boolean isLastAttempt(Work work) {
        return !work.failures().isEmpty() && work.failures().size() >= limits.attempts() - 1;
    }

    /** Whether work has failed on an instance, and there is one on which it has not, and which will soon be free or gets the last attempt. */
    private boolean isForOthers(Work work, InstanceQueue queue, long now) {
        return hasFailedOn(queue, work)
                && queues.values().stream()
                        .anyMatch(
                                other -> !hasFailedOn(other, work) && (isLastAttempt(work) || isSoonFree(other, now)));
    }

    private static boolean hasFailedOn(InstanceQueue queue, Work work) {
        return work.failures().contains(queue.instance());
    }

    private boolean isSoonFree(InstanceQueue queue, long now) {
        return queue.batches().isEmpty() || (queue.hasAnswered() && !isSlow(queue, now));
    }

    /** When work that is kept for some instances must be looked at again; empty if there is none. */
    OptionalLong again(long now) {
        boolean kept = !waiting.isEmpty()
                && !free.isEmpty()
                && (free.stream().anyMatch(queue -> isSlow(queue, now))
                        || waiting.stream().anyMatch(work -> !work.failures().isEmpty()));
        return kept ? OptionalLong.of(now + Math.max(1, usual(1).orElse(FIRST))) : OptionalLong.empty();
    }

    /** A slow instance that has had nothing to do for a while, and gets a copy of other work; empty if there is none. */
    Optional<InstanceQueue> probed(long now) {
        Optional<InstanceQueue> idle = free.stream()
                .filter(queue -> queue.batches().isEmpty()
                        && queue.slowness() > SLOW
                        && now - queue.lastHeard() > BETWEEN_PROBES * usual(1).orElse(FIRST))
                .findFirst();
        idle.ifPresent(free::remove);
        return idle;
    }
}
