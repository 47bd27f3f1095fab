/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** How often each executor was right and wrong. Thread-safe. */
public final class Ledger {
    private final ErrorBudget budget;
    private final Map<String, SequentialTest> tests = new HashMap<>();
    private final Map<String, String> hosts = new HashMap<>();

    /**
     * The state of an executor.
     *
     * @param host its host
     * @param suspicion what is thought of it
     * @param audited batches of it that were predicted more than once
     * @param wrong those that it had predicted wrongly
     * @param compared batches of it that were checked in other ways and found right, in equal shares where nobody knows whose they were
     * @param evidence how much likelier the last batches are of a faulty processor than of a sound one, as a logarithm to base 10
     * @param needed the evidence that makes it faulty; infinite before the first batch
     */
    public record Entry(
            String host,
            Suspicion suspicion,
            long audited,
            long wrong,
            long compared,
            double evidence,
            double needed) {}

    /** A ledger of nobody. */
    public Ledger(ErrorBudget budget) {
        this.budget = budget;
    }

    /** Adds an executor, unless it is known; returns whether it was not. */
    public synchronized boolean join(String executor, String host) {
        tests.putIfAbsent(executor, new SequentialTest());
        return hosts.putIfAbsent(executor, host) == null;
    }

    /** How many executors are known. */
    public synchronized int size() {
        return tests.size();
    }

    /** Forgets executors that were never wrong, but for these; returns the forgotten ones. */
    public synchronized Set<String> forgetSound(Set<String> kept) {
        Set<String> gone = tests.keySet().stream()
                .filter(executor ->
                        !kept.contains(executor) && tests.get(executor).wrong() == 0)
                .collect(Collectors.toSet());
        tests.keySet().removeAll(gone);
        hosts.keySet().removeAll(gone);
        return gone;
    }

    /** Counts an audited batch that an executor has predicted rightly. */
    public synchronized void addRight(String executor) {
        test(executor).addRight(budget.spend(1));
    }

    /** Counts a batch that an executor has predicted wrongly, and returns its state. */
    public synchronized Entry addWrong(String executor) {
        test(executor).addWrong(budget.spend(1));
        return entry(executor);
    }

    private SequentialTest test(String executor) {
        return tests.computeIfAbsent(executor, unknown -> new SequentialTest());
    }

    /**
     * Counts batches that were compared with parities, and are audited only if they do not fit. Nobody knows whose they were: each
     * executor is taken to have had an equal share.
     *
     * @param executors those that there are now
     */
    public synchronized void compared(long batches, Set<String> executors) {
        double error = budget.spend(batches);
        executors.forEach(executor -> test(executor).addCompared((double) batches / executors.size(), error));
    }

    /** Whether an executor, or another one of its host, has been wrong lately: more of its batches are worth an audit. */
    public synchronized boolean isSuspect(String executor) {
        String host = hosts.get(executor);
        return tests.entrySet().stream()
                .filter(test ->
                        test.getKey().equals(executor) || (host != null && host.equals(hosts.get(test.getKey()))))
                .anyMatch(test -> test.getValue().suspicion() != Suspicion.NONE);
    }

    /**
     * The executors of a host that is faulty itself, as far as one can tell: one of them is faulty, and another one has been wrong
     * lately. So an executor that was started in the place of a faulty one is enough.
     *
     * @return all that are known there; empty if the host is not faulty
     */
    public synchronized Set<String> ofFaultyHost(String host) {
        Set<String> all = new TreeSet<>();
        hosts.forEach((executor, its) -> {
            if (its.equals(host)) {
                all.add(executor);
            }
        });
        boolean faulty = all.stream().anyMatch(executor -> suspicion(executor) == Suspicion.FAULTY);
        long wrong = all.stream()
                .filter(executor -> suspicion(executor) != Suspicion.NONE)
                .count();
        return faulty && wrong > 1 ? all : Set.of();
    }

    private Suspicion suspicion(String executor) {
        SequentialTest test = tests.get(executor);
        return test == null ? Suspicion.NONE : test.suspicion();
    }

    /** The state of an executor. */
    public synchronized Entry entry(String executor) {
        SequentialTest test = tests.getOrDefault(executor, new SequentialTest());
        return new Entry(
                hosts.getOrDefault(executor, "?"),
                test.suspicion(),
                test.audited(),
                test.wrong(),
                test.compared(),
                test.evidence(),
                test.needed());
    }

    /** The states of all known executors, by their ids. */
    public synchronized Map<String, Entry> entries() {
        Map<String, Entry> all = new TreeMap<>();
        tests.keySet().forEach(executor -> all.put(executor, entry(executor)));
        return all;
    }
}
