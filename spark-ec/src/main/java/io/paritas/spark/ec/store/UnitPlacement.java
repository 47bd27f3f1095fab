/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides which partitions form a stripe, and which executors keep its parity. A failure domain, an executor or all of a host,
 * gets as few units of a stripe as possible: one, if there are k + r domains. The partitions of a stripe are about equally long,
 * because its parity is as long as the longest. Pure.
 *
 * @param <E> type of an executor
 */
final class UnitPlacement<E> {
    /** Executors to choose for a unit: some may take none, as where a disk is full. */
    private static final int CHOICES = 3;

    private final int k;
    /** Units that a stripe may lose, whichever they are. */
    private final int tolerated;

    private final List<E> executors;
    private final Function<E, ?> domain;
    private final int domains;
    /** Units of a stripe that a domain keeps at most. */
    private final int share;

    /**
     * @param executors all executors that can keep units, at least one
     * @param domain the failure domain of an executor: itself, or its host
     */
    UnitPlacement(CodeName code, Collection<E> executors, Function<E, ?> domain) {
        this(code.k(), code.parameters().r(), code.tolerated(), executors, domain);
    }

    private UnitPlacement(int k, int r, int tolerated, Collection<E> executors, Function<E, ?> domain) {
        this.k = k;
        this.tolerated = tolerated;
        this.executors = List.copyOf(executors);
        this.domain = domain;
        this.domains = (int) executors.stream().map(domain).distinct().count();
        this.share = (k + r + domains - 1) / domains;
    }

    /** Creates a placement of an MDS code's units for executors that are lost one by one. */
    UnitPlacement(int k, int r, Collection<E> executors) {
        this(k, r, r, executors, Function.identity());
    }

    /** A stored partition. */
    record Stored<E>(int partition, int length, E executor) {}

    /** How many domains may be lost, whichever they are, before a stripe cannot be decoded. */
    int survives() {
        return tolerated / share;
    }

    /**
     * How many domains may be lost, whichever they are, before a stripe cannot be decoded.
     *
     * @param having the executors of the stripe's units
     * @param missing how many of its units no executor has
     */
    int survives(List<E> having, int missing) {
        List<Long> most =
                having.stream().collect(Collectors.groupingBy(domain, Collectors.counting())).values().stream()
                        .sorted(Comparator.reverseOrder())
                        .toList();
        long lost = missing;
        int survives = 0;
        while (survives < most.size() && lost + most.get(survives) <= tolerated) {
            lost += most.get(survives++);
        }
        return survives;
    }

    /** How many of all partitions an executor may have, so that the number of stripes stays minimal. */
    int share(int partitions) {
        int ofADomain = (partitions + k - 1) / k * share;
        return (ofADomain * domains + executors.size() - 1) / executors.size();
    }

    /** Forms stripes of at most k partitions: in the one of two ways that takes less parity. */
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

    /** Puts partitions, longest first, into the first stripe that has room. */
    private List<List<Stored<E>>> bySize(List<Stored<E>> partitions) {
        List<List<Stored<E>>> stripes = new ArrayList<>();
        // By domain: those before it never have room for one of that domain again.
        Map<Object, Integer> firsts = new HashMap<>();
        for (Stored<E> partition :
                sorted(partitions, Comparator.comparing(Stored<E>::length).reversed())) {
            Object itsDomain = domain.apply(partition.executor());
            int first = firsts.getOrDefault(itsDomain, 0);
            while (first < stripes.size() && !hasRoom(stripes.get(first), partition.executor())) {
                first++;
            }
            if (first == stripes.size()) {
                stripes.add(new ArrayList<>());
            }
            stripes.get(first).add(partition);
            firsts.put(itsDomain, first);
        }
        return stripes;
    }

    private boolean hasRoom(List<Stored<E>> stripe, E executor) {
        return stripe.size() < k && crowd(stripe.stream().map(Stored::executor), executor) < share;
    }

    /** Deals partitions, domain by domain, to as few stripes as the fullest domain allows. */
    private List<List<Stored<E>>> dealt(List<Stored<E>> partitions) {
        Map<Object, Long> loads = partitions.stream()
                .collect(Collectors.groupingBy(stored -> domain.apply(stored.executor()), Collectors.counting()));
        long fullest = loads.values().stream().mapToLong(Long::longValue).max().orElse(0);
        int count = (int) Math.max((partitions.size() + k - 1) / k, (fullest + share - 1) / share);
        List<List<Stored<E>>> stripes = new ArrayList<>();
        for (int stripe = 0; stripe < count; stripe++) {
            stripes.add(new ArrayList<>());
        }
        Map<Object, Integer> places = new HashMap<>();
        executors.forEach(executor -> places.putIfAbsent(domain.apply(executor), places.size()));
        Comparator<Stored<E>> order =
                Comparator.comparing(stored -> places.getOrDefault(domain.apply(stored.executor()), -1));
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

    /**
     * Plans moves after which no executor has more partitions than its share.
     *
     * @param partitions all stored partitions
     * @return the target of each partition that moves
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
     * Plans moves of a stripe's units after which no domain has more than its share of them.
     *
     * @param having the executor of each unit
     * @param length length of a unit, in bytes
     * @param given as in {@link #targets}
     * @return the targets of each unit that moves: one, and others if that does not take it
     */
    Map<Integer, List<E>> spread(Map<Integer, E> having, int length, Map<E, Long> given) {
        Map<Integer, E> spread = new HashMap<>(having);
        Map<Integer, List<E>> moves = new TreeMap<>();
        having.forEach((unit, executor) -> {
            if (crowd(spread.values().stream(), executor) > share) {
                spread.remove(unit);
                List<E> targets = choices(List.copyOf(spread.values()), 1, length, given).get(0).stream()
                        .filter(target -> crowd(spread.values().stream(), target) < share)
                        .toList();
                spread.put(unit, targets.get(0));
                moves.put(unit, targets);
            }
        });
        return moves;
    }

    /** How many of some executors are in the domain of another one. */
    private long crowd(Stream<E> executors, E other) {
        return executors
                .filter(executor -> domain.apply(executor).equals(domain.apply(other)))
                .count();
    }

    /**
     * Chooses {@link #targets} for units, and others for those that these do not take: several units have the same where few are free.
     *
     * @return for each unit one or more executors, the best first
     */
    List<List<E>> choices(List<E> having, int units, int length, Map<E, Long> given) {
        List<E> targets = targets(having, units, length, given);
        Map<Object, Integer> counts = counts(having);
        targets.forEach(target -> counts.merge(domain.apply(target), 1, Integer::sum));
        Map<E, Integer> uses = new HashMap<>();
        List<List<E>> choices = new ArrayList<>();
        targets.forEach(target -> choices.add(new ArrayList<>(List.of(target))));
        for (int choice = 1; choice < CHOICES; choice++) {
            for (List<E> ofUnit : choices) {
                Map<Object, Integer> others = new HashMap<>(counts);
                others.merge(domain.apply(ofUnit.get(0)), -1, Integer::sum);
                executors.stream()
                        .filter(executor -> !targets.contains(executor) && !ofUnit.contains(executor))
                        .min(fewest(others)
                                .thenComparing(executor -> uses.getOrDefault(executor, 0))
                                .thenComparing(order(others, given)))
                        .ifPresent(executor -> {
                            ofUnit.add(executor);
                            uses.merge(executor, 1, Integer::sum);
                        });
            }
        }
        return choices;
    }

    /**
     * Chooses executors for units that are not stored yet: those with the fewest units of the stripe, and of these the ones that
     * were given the fewest bytes.
     *
     * @param having the executors of the other units of the stripe
     * @param units how many executors to choose
     * @param length length of each unit, in bytes
     * @param given bytes given to executors so far; these units are added
     */
    List<E> targets(List<E> having, int units, int length, Map<E, Long> given) {
        Map<Object, Integer> counts = counts(having);
        List<E> targets = new ArrayList<>();
        for (int unit = 0; unit < units; unit++) {
            E target = executors.stream().min(order(counts, given)).orElseThrow();
            counts.merge(domain.apply(target), 1, Integer::sum);
            given.merge(target, (long) length, Long::sum);
            targets.add(target);
        }
        return targets;
    }

    /** How many of some executors are in each domain. */
    private Map<Object, Integer> counts(List<E> some) {
        Map<Object, Integer> counts = new HashMap<>();
        some.forEach(executor -> counts.merge(domain.apply(executor), 1, Integer::sum));
        return counts;
    }

    /** Those with the fewest units come first, and of these the ones that were given the fewest bytes. */
    private Comparator<E> order(Map<Object, Integer> counts, Map<E, Long> given) {
        return fewest(counts).thenComparingLong(executor -> given.getOrDefault(executor, 0L));
    }

    private Comparator<E> fewest(Map<Object, Integer> counts) {
        return Comparator.comparingInt(executor -> counts.getOrDefault(domain.apply(executor), 0));
    }
}
