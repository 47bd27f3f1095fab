/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Which partitions form a stripe, and which executors keep its parity: so that what is lost together, an executor or all of a
 * host, has as few units of a stripe as possible, one if there are k + r of them, and so that the partitions of a stripe are about equally long, because its
 * parity is as long as the longest. Pure.
 *
 * @param <E> executors
 */
final class Placement<E> {
    private final int k;
    private final int r;
    private final List<E> executors;
    private final Function<E, ?> domain;
    private final int domains;
    /** Units of a stripe that a domain may have. */
    private final int share;

    /**
     * @param executors all that can keep units, at least one
     * @param domain what an executor is lost with: itself, or its host
     */
    Placement(int k, int r, Collection<E> executors, Function<E, ?> domain) {
        this.k = k;
        this.r = r;
        this.executors = List.copyOf(executors);
        this.domain = domain;
        this.domains = (int) executors.stream().map(domain).distinct().count();
        this.share = (k + r + domains - 1) / domains;
    }

    /** Executors that are lost one by one. */
    Placement(int k, int r, Collection<E> executors) {
        this(k, r, executors, Function.identity());
    }

    /** A partition that is stored. */
    record Stored<E>(int partition, int length, E executor) {}

    /** How many domains may be lost, whichever they are, before a stripe cannot be decoded any more. */
    int survives() {
        return r / share;
    }

    /** How many of so many partitions an executor may have without making more stripes than there must be. */
    int share(int partitions) {
        int ofADomain = (partitions + k - 1) / k * share;
        return (ofADomain * domains + executors.size() - 1) / executors.size();
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
                    .filter(members -> count(members, partition) < share)
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

    /** Those of one domain after those of another, dealt to as few stripes as the fullest domain allows. */
    private List<List<Stored<E>>> dealt(List<Stored<E>> partitions) {
        Map<Object, Long> loads = partitions.stream()
                .collect(Collectors.groupingBy(stored -> domain.apply(stored.executor()), Collectors.counting()));
        long fullest = loads.values().stream().mapToLong(Long::longValue).max().orElse(0);
        int count = (int) Math.max((partitions.size() + k - 1) / k, (fullest + share - 1) / share);
        List<List<Stored<E>>> stripes = new ArrayList<>();
        for (int stripe = 0; stripe < count; stripe++) {
            stripes.add(new ArrayList<>());
        }
        List<?> all = executors.stream().map(domain).distinct().toList();
        Comparator<Stored<E>> order = Comparator.comparing(stored -> all.indexOf(domain.apply(stored.executor())));
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

    /** How many of a stripe are in the domain of another partition. */
    private long count(List<Stored<E>> members, Stored<E> other) {
        Object wanted = domain.apply(other.executor());
        return members.stream()
                .filter(member -> domain.apply(member.executor()).equals(wanted))
                .count();
    }

    /**
     * What is to be moved so that no executor has more partitions than its share of them.
     *
     * @param partitions all that are stored
     * @return where each of the partitions that must leave is to go
     */
    Map<Stored<E>, E> moves(List<Stored<E>> partitions) {
        int most = share(partitions.size());
        Map<E, Integer> loads = new HashMap<>();
        executors.forEach(executor -> loads.put(executor, 0));
        partitions.forEach(stored -> loads.merge(stored.executor(), 1, Integer::sum));
        Map<Stored<E>, E> moves = new LinkedHashMap<>();
        for (Stored<E> stored : sorted(partitions, Comparator.comparing(Stored<E>::length))) {
            if (loads.get(stored.executor()) > most) {
                E target =
                        executors.stream().min(Comparator.comparing(loads::get)).orElseThrow();
                loads.merge(stored.executor(), -1, Integer::sum);
                loads.merge(target, 1, Integer::sum);
                moves.put(stored, target);
            }
        }
        return moves;
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
        Map<Object, Integer> counts = new HashMap<>();
        having.forEach(executor -> counts.merge(domain.apply(executor), 1, Integer::sum));
        List<E> targets = new ArrayList<>();
        for (int unit = 0; unit < units; unit++) {
            E target = executors.stream()
                    .min(Comparator.<E>comparingInt(executor -> counts.getOrDefault(domain.apply(executor), 0))
                            .thenComparingLong(executor -> given.getOrDefault(executor, 0L)))
                    .orElseThrow();
            counts.merge(domain.apply(target), 1, Integer::sum);
            given.merge(target, (long) length, Long::sum);
            targets.add(target);
        }
        return targets;
    }
}
