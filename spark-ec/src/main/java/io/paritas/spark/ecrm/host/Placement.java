/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.protocol.ViewMessage.Start;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which candidate becomes which server: one on an executor without a server, as long as such an executor may come. Servers of one
 * executor fail together and cannot recover each other. Not thread-safe.
 */
final class Placement {
    /** @param offered time of its last offer */
    private record Waiting(int task, String endpoint, String executor, long offered) {
        Waiting offeredAt(long time) {
            return new Waiting(task, endpoint, executor, time);
        }
    }

    /**
     * A candidate that is a server.
     *
     * @param candidate its address as a candidate
     */
    record Appointment(Address candidate, int task, String executor, Start start) {}

    private final ServerJobs jobs;
    private final int servers;
    private final long heartbeatTimeout;
    private final long placementTimeout;
    private final long absence;

    private final Map<Address, Waiting> candidates = new LinkedHashMap<>();
    /** By server that is up. */
    private final Map<Address, Appointment> appointed = new LinkedHashMap<>();
    /** By number of a server that is down: since when. */
    private final Map<Integer, Long> absent = new HashMap<>();
    /**
     * By task that was a server when all were recalled, or whose connection has ended: when it counts as failed, if it does not offer
     * itself again.
     */
    private final Map<Integer, Long> missing = new HashMap<>();

    /** Since when all candidates are there, but not on different executors. */
    private long crowded = Long.MAX_VALUE;

    /**
     * Creates the placement of servers that are not appointed yet.
     *
     * @param jobs the tasks of the candidates
     */
    Placement(ServerJobs jobs, int servers, HostOptions options) {
        this.jobs = jobs;
        this.servers = servers;
        this.heartbeatTimeout = options.heartbeatTimeout().toMillis();
        this.placementTimeout = options.placementTimeout().toMillis();
        this.absence = options.absence();
    }

    /** Takes an offer of a candidate that is no server; ignores the remains of a task that was started again, and a copy of one. */
    void offered(Address candidate, Offer offer, long now) {
        if (jobs.isCurrent(offer.task()) && !isCopy(candidate, offer.task())) {
            jobs.arrived(offer.task(), offer.executor(), now);
            missing.remove(offer.task());
            candidates.put(candidate, new Waiting(offer.task(), offer.endpoint(), offer.executor(), now));
        }
    }

    private boolean isCopy(Address candidate, int task) {
        return appointed.values().stream().anyMatch(other -> other.task() == task)
                || candidates.entrySet().stream()
                        .anyMatch(other -> other.getValue().task() == task
                                && !other.getKey().equals(candidate));
    }

    /** Starts the tasks that do not run, moves those that meet on an executor, and forgets candidates that are silent. */
    void keep(long now) {
        jobs.keep(now);
        Set<Integer> waiting = candidates.values().stream().map(Waiting::task).collect(Collectors.toSet());
        while (jobs.spread(waiting, now)) {
            candidates.values().removeIf(candidate -> !jobs.isCurrent(candidate.task()));
        }
        candidates
                .values()
                .removeIf(
                        candidate -> now - candidate.offered() > heartbeatTimeout || !jobs.isCurrent(candidate.task()));
        for (Map.Entry<Integer, Long> entry : List.copyOf(missing.entrySet())) {
            if (now > entry.getValue()) {
                missing.remove(entry.getKey());
                jobs.failed(entry.getKey(), now);
            }
        }
    }

    /** Leaves out some time, which has just passed, from that of which something is waited for. */
    void leaveOut(long millis, long now) {
        candidates.replaceAll((address, candidate) -> candidate.offeredAt(Math.min(now, candidate.offered() + millis)));
        missing.replaceAll((task, until) -> until + millis);
        absent.replaceAll((server, since) -> Math.min(now, since + millis));
        crowded = crowded == Long.MAX_VALUE ? crowded : Math.min(now, crowded + millis);
    }

    /** Returns the number of candidates that are no servers. */
    int waiting() {
        return candidates.size();
    }

    /** Returns the host and port of a candidate that waits. */
    String endpoint(Address candidate) {
        return candidates.get(candidate).endpoint();
    }

    /** Whether the servers would run on different executors, or waiting for that is pointless or has timed out. */
    boolean isSpread(long now) {
        crowded = Math.min(crowded, now);
        long executors =
                candidates.values().stream().map(Waiting::executor).distinct().count();
        return executors >= servers || !jobs.expectsRoom() || now - crowded > placementTimeout;
    }

    /** Returns a candidate for each server, before any is appointed. */
    List<Address> first() {
        List<Address> first = new ArrayList<>();
        Map<Address, Waiting> left = new LinkedHashMap<>(candidates);
        Map<String, Integer> taken = new HashMap<>();
        while (first.size() < servers) {
            Address next = best(left, taken);
            taken.merge(left.remove(next).executor(), 1, Integer::sum);
            first.add(next);
        }
        return first;
    }

    /**
     * Whether to appoint {@link #best} now for a server that is down; one beside another server only if waiting for a better one is
     * pointless or has timed out.
     */
    boolean hasCandidate(int server, long now) {
        return !candidates.isEmpty()
                && (taken().noneMatch(candidates.get(best()).executor()::equals)
                        || !jobs.expectsRoom()
                        || now - absent.getOrDefault(server, now) > placementTimeout);
    }

    /** Returns the candidate whose executor has the fewest servers. */
    Address best() {
        return best(candidates, taken().collect(Collectors.toMap(executor -> executor, executor -> 1, Integer::sum)));
    }

    /** @param taken the number of servers by executor */
    private static Address best(Map<Address, Waiting> candidates, Map<String, Integer> taken) {
        return candidates.entrySet().stream()
                .min(Comparator.comparingInt(
                        entry -> taken.getOrDefault(entry.getValue().executor(), 0)))
                .orElseThrow()
                .getKey();
    }

    private Stream<String> taken() {
        return appointed.values().stream().map(Appointment::executor);
    }

    /** Makes a candidate a server. */
    void appoint(Address server, Address candidate, Start start) {
        Waiting chosen = candidates.remove(candidate);
        appointed.put(server, new Appointment(candidate, chosen.task(), chosen.executor(), start));
        absent.remove(server.id());
    }

    /** Returns the appointment of a server that is up. */
    Appointment appointment(Address server) {
        return appointed.get(server);
    }

    /** Returns the server that a candidate is. */
    Optional<Address> serverOf(Address candidate) {
        return appointed.entrySet().stream()
                .filter(entry -> entry.getValue().candidate().equals(candidate))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Returns the executors of the servers that are up, in the order of their numbers. */
    List<String> executors() {
        return appointed.entrySet().stream()
                .sorted(Comparator.comparingInt(entry -> entry.getKey().id()))
                .map(entry -> entry.getValue().executor())
                .toList();
    }

    /** Forgets a candidate whose connection has ended; its task is started again if it does not offer itself anew. */
    void gone(Address address, long now) {
        Waiting candidate = candidates.remove(address);
        if (candidate != null) {
            missing.put(candidate.task(), now + absence);
        }
    }

    /** Takes a server away, and starts its task again. */
    void failed(Address server, long now) {
        Appointment was = appointed.remove(server);
        jobs.failed(was.task(), now);
        // Candidates of the same executor may be gone too; those that are not offer themselves again.
        candidates.values().removeIf(candidate -> candidate.executor().equals(was.executor()));
        absent.put(server.id(), now);
    }

    /** Takes all servers away; their tasks go on, and offer themselves again when they have heard of it. */
    void recall(long now) {
        appointed.values().forEach(appointment -> {
            jobs.recalled(appointment.task());
            missing.put(appointment.task(), now + heartbeatTimeout);
        });
        appointed.clear();
        for (int server = 0; server < servers; server++) {
            absent.put(server, now);
        }
    }
}
