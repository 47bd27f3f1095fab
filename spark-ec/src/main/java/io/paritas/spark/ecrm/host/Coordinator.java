/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.membership.Membership;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Appoint;
import io.paritas.spark.ecrm.protocol.ViewMessage.Failed;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.protocol.ViewMessage.Save;
import io.paritas.spark.ecrm.protocol.ViewMessage.Saved;
import io.paritas.spark.ecrm.protocol.ViewMessage.Start;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver: makes the first candidates servers, notices who has failed, by the end of its connection or because it says nothing for
 * too long, and has another candidate replace it.
 */
final class Coordinator implements Machine {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);

    private record Candidate(int task, String endpoint, String executor, long offered) {}

    /** A checkpoint. */
    record Stored(String folder, long number) {}

    /** @param candidate that became a server */
    private record Appointed(Address candidate, int task, String executor, Start start) {}

    private final ModelSpec model;
    private final int servers;
    private final int tasks;
    private final Timing timing;
    private final long silence;
    private final long patience;
    private final EventLoop loop;
    private final ServerJobs jobs;
    private final Map<Address, Candidate> candidates = new LinkedHashMap<>();
    /** By server: who became it. */
    private final Map<Address, Appointed> appointed = new LinkedHashMap<>();

    private final Map<Address, Long> heard = new HashMap<>();
    /** By server: since when nobody is it. */
    private final Map<Integer, Long> absent = new HashMap<>();

    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private Membership membership;
    private Saving saving;
    /** What is gone back to. */
    private Optional<Stored> checkpoint;

    /** Since when all candidates are there, and not all where they should be. */
    private long crowded = Long.MAX_VALUE;

    private volatile boolean healthy;
    private volatile double recovered;
    private volatile int rollbacks;
    private volatile List<String> executors = List.of();
    private final AtomicInteger replaced = new AtomicInteger();

    /**
     * @param options its patience is for candidates at first, and for replacements
     * @param checkpoint that servers begin with
     * @param jobs what candidates run in
     */
    Coordinator(ModelSpec model, HostOptions options, Optional<Stored> checkpoint, EventLoop loop, ServerJobs jobs) {
        this.model = model;
        this.servers = model.servers();
        this.tasks = options.tasks(model);
        this.timing = options.timing();
        this.silence = options.silence();
        this.patience = options.patience();
        this.checkpoint = checkpoint;
        this.loop = loop;
        this.jobs = jobs;
    }

    /** When all servers are there, and have what they begin with, for the first time. */
    CompletableFuture<Void> started() {
        return started;
    }

    boolean isHealthy() {
        return healthy;
    }

    double recovered() {
        return recovered;
    }

    /** Of the servers that are there, in the order of their numbers. */
    List<String> executors() {
        return executors;
    }

    int rollbacks() {
        return rollbacks;
    }

    int replaced() {
        return replaced.get();
    }

    @Override
    public void receive(Envelope envelope, long now) {
        if (envelope.message() instanceof Offer offer) {
            offered(envelope.from(), offer, now);
        } else if (membership != null) {
            heard.computeIfPresent(envelope.from(), (address, before) -> now);
            membership.receive(envelope, now);
            if (envelope.message() instanceof Saved saved && saving != null) {
                saving.saved(envelope.from(), saved, now);
            } else if (envelope.message() instanceof Failed failed) {
                LOG.error("{}", failed.why());
                started.completeExceptionally(new IllegalStateException(failed.why()));
            }
        }
        fill(now);
    }

    private void offered(Address candidate, Offer offer, long now) {
        for (Map.Entry<Address, Appointed> entry : appointed.entrySet()) {
            if (entry.getValue().candidate().equals(candidate)) {
                appoint(entry.getKey(), entry.getValue());
                return;
            }
        }
        if (jobs.isCurrent(offer.task())) {
            jobs.arrived(offer.task(), offer.executor(), now);
            candidates.put(candidate, new Candidate(offer.task(), offer.endpoint(), offer.executor(), now));
        }
    }

    /** Again, if it has not heard of it. */
    private void appoint(Address server, Appointed as) {
        if (membership.view().has(server)) {
            View view = membership.view();
            Stored stored = checkpoint.orElse(new Stored("", 0));
            loop.send(new Envelope(
                    Address.DRIVER,
                    as.candidate(),
                    view.epoch(),
                    new Appoint(server.id(), view, as.start(), stored.folder(), stored.number())));
        }
    }

    private void fill(long now) {
        jobs.keep(now);
        spread(now);
        candidates
                .values()
                .removeIf(candidate -> now - candidate.offered() > silence || !jobs.isCurrent(candidate.task()));
        if (membership == null && candidates.size() >= tasks && isSpread(now)) {
            begin(now);
        }
        for (int server = 0; membership != null && server < servers; server++) {
            if (!membership.view().isUp(server) && hasCandidate(server, now)) {
                Address candidate = best();
                Address address =
                        membership.replaced(server, candidates.get(candidate).endpoint(), now);
                LOG.info("Server {} is replaced by {}", server, candidate);
                replaced.incrementAndGet();
                become(address, candidate, goesBack() ? Start.CHECKPOINT : Start.RECOVER, now);
            }
        }
        if (saving != null) {
            saving.proceed();
            saving = saving.isDone() ? null : saving;
        }
        recovered = membership == null ? 0 : membership.recovered();
        healthy = membership != null && membership.isHealthy();
        rollbacks = membership == null ? 0 : membership.view().rollbacks();
        if (healthy) {
            started.complete(null);
        }
        executors = appointed.entrySet().stream()
                .sorted(Comparator.comparingInt(entry -> entry.getKey().id()))
                .map(entry -> entry.getValue().executor())
                .toList();
    }

    /** Those that wait need not be beside another one. */
    private void spread(long now) {
        Set<Integer> waiting = candidates.values().stream().map(Candidate::task).collect(Collectors.toSet());
        while (jobs.spread(waiting, now)) {
            candidates.values().removeIf(candidate -> !jobs.isCurrent(candidate.task()));
        }
    }

    /** Whether servers would be on different executors, or there is no hope that they will be in good time. */
    private boolean isSpread(long now) {
        crowded = Math.min(crowded, now);
        long executors =
                candidates.values().stream().map(Candidate::executor).distinct().count();
        return executors >= servers || !jobs.expectsRoom() || now - crowded > patience;
    }

    /** Whether to take the best candidate; one beside another server only if there will be no other in good time. */
    private boolean hasCandidate(int server, long now) {
        return !candidates.isEmpty()
                && (appointedExecutors()
                                .noneMatch(executor ->
                                        executor.equals(candidates.get(best()).executor()))
                        || !jobs.expectsRoom()
                        || now - absent.getOrDefault(server, now) > patience);
    }

    private Stream<String> appointedExecutors() {
        return appointed.values().stream().map(Appointed::executor);
    }

    private void begin(long now) {
        List<Address> first = new ArrayList<>();
        Map<Address, Candidate> left = new LinkedHashMap<>(candidates);
        List<String> taken = new ArrayList<>();
        while (first.size() < servers) {
            Address next = best(left, taken);
            taken.add(left.remove(next).executor());
            first.add(next);
        }
        View view = View.of(
                first.stream().map(one -> candidates.get(one).endpoint()).toList());
        membership = new Membership(view, timing, loop::send);
        for (int server = 0; server < servers; server++) {
            become(
                    view.address(server),
                    first.get(server),
                    checkpoint.isPresent() ? Start.CHECKPOINT : Start.INITIAL,
                    now);
        }
    }

    private Address best() {
        return best(candidates, appointedExecutors().toList());
    }

    /** One whose executor has the fewest servers. */
    private static Address best(Map<Address, Candidate> candidates, List<String> taken) {
        return candidates.entrySet().stream()
                .min(Comparator.comparingInt(
                        entry -> Collections.frequency(taken, entry.getValue().executor())))
                .orElseThrow()
                .getKey();
    }

    private void become(Address server, Address candidate, Start start, long now) {
        Candidate chosen = candidates.remove(candidate);
        appointed.put(server, new Appointed(candidate, chosen.task(), chosen.executor(), start));
        absent.remove(server.id());
        heard.put(server, now);
        appoint(server, appointed.get(server));
    }

    @Override
    public void tick(long now) {
        if (membership != null) {
            for (Address server : membership.view().addresses()) {
                if (now - heard.getOrDefault(server, now) > silence) {
                    failed(server, "says nothing for " + silence + " ms", now);
                }
            }
            membership.tick(now);
        }
        if (saving != null) {
            saving.ask();
        }
        fill(now);
    }

    /** Of a server, the connection ends that it had as a candidate too. */
    @Override
    public void gone(Address address, long now) {
        Candidate candidate = candidates.remove(address);
        if (candidate != null) {
            jobs.failed(candidate.task(), now);
        }
        List<Address> ended = appointed.entrySet().stream()
                .filter(entry -> entry.getKey().equals(address)
                        || entry.getValue().candidate().equals(address))
                .map(Map.Entry::getKey)
                .toList();
        ended.forEach(server -> failed(server, "has closed its connection", now));
        fill(now);
    }

    private void failed(Address server, String why, long now) {
        LOG.warn("Server {} has failed: it {}", server.id(), why);
        Appointed was = appointed.remove(server);
        jobs.failed(was.task(), now);
        // What is in the same executor may be gone too; if it is not, it offers itself again.
        candidates.values().removeIf(candidate -> candidate.executor().equals(was.executor()));
        if (goesBack()) {
            LOG.warn(
                    "All servers go back to checkpoint {}",
                    checkpoint.orElseThrow().number());
            membership.rolledBack(now);
            appointed.clear();
        } else {
            membership.failed(server.id(), now);
        }
        heard.keySet().removeIf(other -> !membership.view().has(other));
        absent.put(server.id(), now);
    }

    /** Whether servers begin with the last checkpoint whenever one has failed. */
    private boolean goesBack() {
        return model.redundancy().isNone() && checkpoint.isPresent();
    }

    /** Has all servers write their files of a checkpoint. */
    void save(Stored next, CompletableFuture<Void> done, long now) {
        if (!healthy || saving != null) {
            done.completeExceptionally(new IllegalStateException(
                    "A checkpoint is written when all servers are there and none is being recovered: wait until they are"
                            + " healthy, and write one at a time"));
        } else {
            saving = new Saving(new Save(next.number(), next.folder()), membership, loop, done, now);
        }
    }

    /** A checkpoint is complete. */
    void saved(Stored last) {
        checkpoint = Optional.of(last);
    }

    @Override
    public String endpoint(Address receiver) {
        boolean known =
                membership != null && receiver.isServer() && membership.view().has(receiver);
        return known ? membership.view().members().get(receiver.id()).endpoint() : "";
    }
}
