/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which partitions form a stripe, and which executors keep its parity: so that an executor has as few units of a stripe as
 * possible, one if there are k + r executors, and so that the partitions of a stripe are about equally long, because its
 * parity is as long as the longest. Pure.
 *
 * @param <E> executors
 */
final class Placement<E> {
    private final int k;
    private final int r;
    private final List<E> executors;
    /** Units of a stripe that an executor may have. */
    private final int share;

    /** @param executors all that can keep units, at least one */
    Placement(int k, int r, Collection<E> executors) {
        this.k = k;
        this.r = r;
        this.executors = List.copyOf(executors);
        this.share = (k + r + executors.size() - 1) / executors.size();
    }

    /** A partition that is stored. */
    record Stored<E>(int partition, int length, E executor) {}

    /** How many executors may be lost, whichever they are, before a stripe cannot be decoded any more. */
    int survives() {
        return r / share;
    }

    /** How many of so many partitions an executor may have without making more stripes than there must be. */
    int share(int partitions) {
        return (partitions + k - 1) / k * share;
    }

    /** Partitions in stripes of at most k; of two ways to form them, the one with less parity. */
    List<List<Stored<E>>> stripes(List<Stored<E>> partitions) {
        List<List<Stored<E>>> bySize = bySize(partitions);
        List<List<Stored<E>>> dealt = dealt(partitions);
        return parity(dealt) < parity(bySize) ? dealt : bySize;
    }

    private static <E> long parity(List<List<Stored<E>>> stripes) {
        return stripes.stream()
                .mapToLong(stripe ->
                        stripe.stream().mapToLong(Stored::length).max().orElse(0))
                .sum();
    }

    /** The longest first, each into the first stripe that has room for it. */
    private List<List<Stored<E>>> bySize(List<Stored<E>> partitions) {
        List<List<Stored<E>>> full = new ArrayList<>();
        List<List<Stored<E>>> open = new ArrayList<>();
        for (Stored<E> partition :
                sorted(partitions, Comparator.comparing(Stored<E>::length).reversed())) {
            List<Stored<E>> stripe = open.stream()
                    .filter(members -> count(members, partition.executor()) < share)
                    .findFirst()
                    .orElseGet(() -> {
                        open.add(new ArrayList<>());
                        return open.get(open.size() - 1);
                    });
            stripe.add(partition);
            if (stripe.size() == k) {
                open.remove(stripe);
                full.add(stripe);
            }
        }
        full.addAll(open);
        return full;
    }

    /** Those of one executor after those of another, dealt to as few stripes as the fullest executor allows. */
    private List<List<Stored<E>>> dealt(List<Stored<E>> partitions) {
        Map<E, Long> loads =
                partitions.stream().collect(Collectors.groupingBy(Stored::executor, Collectors.counting()));
        long fullest = loads.values().stream().mapToLong(Long::longValue).max().orElse(0);
        int count = (int) Math.max((partitions.size() + k - 1) / k, (fullest + share - 1) / share);
        List<List<Stored<E>>> stripes = new ArrayList<>();
        for (int stripe = 0; stripe < count; stripe++) {
            stripes.add(new ArrayList<>());
        }
        Comparator<Stored<E>> order = Comparator.comparing(stored -> executors.indexOf(stored.executor()));
        int next = 0;
        for (Stored<E> partition : sorted(
                partitions,
                order.thenComparing(Comparator.comparing(Stored<E>::length).reversed()))) {
            stripes.get(next++ % count).add(partition);
        }
        return stripes;
    }

    private static <E> List<Stored<E>> sorted(List<Stored<E>> partitions, Comparator<Stored<E>> order) {
        return partitions.stream()
                .sorted(order.thenComparing(Stored::partition))
                .toList();
    }

    private static <E> long count(List<Stored<E>> members, E executor) {
        return members.stream()
                .filter(member -> member.executor().equals(executor))
                .count();
    }

    /**
     * Who is to keep units that are not stored yet: executors that have the fewest units of the stripe, and of those the ones
     * that were given the fewest bytes so far.
     *
     * @param having who has the other units of the stripe
     * @param units how many are to be kept
     * @param length of each, in bytes
     * @param given bytes so far; counts these as well from now on
     */
    List<E> targets(List<E> having, int units, int length, Map<E, Long> given) {
        Map<E, Integer> counts = new HashMap<>();
        having.forEach(executor -> counts.merge(executor, 1, Integer::sum));
        List<E> targets = new ArrayList<>();
        for (int unit = 0; unit < units; unit++) {
            E target = executors.stream()
                    .min(Comparator.<E>comparingInt(executor -> counts.getOrDefault(executor, 0))
                            .thenComparingLong(executor -> given.getOrDefault(executor, 0L)))
                    .orElseThrow();
            counts.merge(target, 1, Integer::sum);
            given.merge(target, (long) length, Long::sum);
            targets.add(target);
        }
        return targets;
    }
}
