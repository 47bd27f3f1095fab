/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.host.Placement.Appointment;
import io.paritas.spark.ecrm.membership.Membership;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Appoint;
import io.paritas.spark.ecrm.protocol.ViewMessage.Failed;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.protocol.ViewMessage.Save;
import io.paritas.spark.ecrm.protocol.ViewMessage.Saved;
import io.paritas.spark.ecrm.protocol.ViewMessage.Start;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver: appoints candidates as servers, detects failed servers by missing
 * heartbeats, sooner if their connection has ended, and replaces them by other candidates. {@link Placement} chooses which.
 */
final class ServerSupervisor implements EventHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ServerSupervisor.class);

    /** Milliseconds between two warnings that updates wait. */
    private static final long WARNING = 30_000;

    /** A complete checkpoint. */
    record StoredCheckpoint(String folder, long number) {}

    private final ModelSpec model;
    private final int servers;
    private final int tasks;
    private final Timing timing;
    private final long heartbeatTimeout;
    private final long absence;
    private final EventLoop loop;
    private final ServerJobs jobs;
    private final Placement placement;

    /** By server: time of its last message, or of the end of its connection. */
    private final Map<Address, Long> heard = new HashMap<>();
    /** Servers whose connection has ended, and who have said nothing since. A network may have cut off several that all live. */
    private final Set<Address> disconnected = new HashSet<>();
    /** When the driver last took a message or looked at the time. */
    private long ran = Long.MAX_VALUE;

    /** Numbers of the servers that go back to a checkpoint. */
    private final Set<Integer> goingBack = new HashSet<>();

    private final CompletableFuture<Void> started = new CompletableFuture<>();
    /** Whether a worker has ever connected. Before, nobody has updated anything. */
    private boolean updatable;

    private Membership membership;
    private CheckpointOperation operation;
    /** The checkpoint that servers start from or go back to. */
    private Optional<StoredCheckpoint> checkpoint;

    /** When the last warning that updates wait was due. */
    private long warned;

    /** The executors of servers that have failed, in that order. */
    private final List<String> failures = new ArrayList<>();

    private int replaced;

    /** What other threads read. */
    private volatile ServerState state = new ServerState(List.of(), List.of(), 0, 0, false, 0);

    /**
     * Creates a supervisor, which begins when all candidates have offered themselves.
     *
     * @param checkpoint that servers start from; empty for the initial state
     * @param jobs the tasks of the candidates
     */
    ServerSupervisor(
            ModelSpec model,
            HostOptions options,
            Optional<StoredCheckpoint> checkpoint,
            EventLoop loop,
            ServerJobs jobs) {
        this.model = model;
        this.servers = model.servers();
        this.tasks = options.tasks(model);
        this.timing = options.timing();
        this.heartbeatTimeout = options.heartbeatTimeout().toMillis();
        this.absence = options.absence();
        this.checkpoint = checkpoint;
        this.loop = loop;
        this.jobs = jobs;
        this.placement = new Placement(jobs, servers, options);
    }

    /**
     * Completes when all servers are up and have their state for the first time, or fails if one cannot have it. Nobody
     * updates anything before.
     */
    CompletableFuture<Void> started() {
        return started;
    }

    ServerState state() {
        return state;
    }

    @Override
    public void receive(Envelope envelope, long now) {
        wake(now);
        updatable |= envelope.from().role() == Address.Role.WORKER;
        envelope.message().accept(new CandidateReceiver(envelope.from(), now));
        if (membership != null) {
            Address server = server(envelope.from());
            heard.replace(server, now);
            disconnected.remove(server);
            membership.receive(envelope, now);
            envelope.message().accept(new ServerReceiver(envelope.from(), now));
        }
        // Most messages are heartbeats, which change nothing of all this.
        if (!(envelope.message() instanceof Fenced)) {
            fill(now);
        }
    }

    /** Returns the server that a participant is, if it is one; else its address. */
    private Address server(Address participant) {
        return participant.isServer()
                ? participant
                : placement.serverOf(participant).orElse(participant);
    }

    /**
     * Leaves out the time that the driver was stopped, as by a pause of its JVM, from that of which others are silent: what they have
     * sent meanwhile is still to be read.
     */
    private void wake(long now) {
        long stopped = now - Math.min(ran, now) - timing.retry();
        ran = now;
        if (stopped > 0) {
            heard.replaceAll((server, at) -> Math.min(now, at + stopped));
            placement.leaveOut(stopped, now);
        }
    }

    /** Takes offers of candidates. */
    private final class CandidateReceiver implements MessageVisitor {
        private final Address from;
        private final long now;

        CandidateReceiver(Address from, long now) {
            this.from = from;
            this.now = now;
        }

        @Override
        public void offer(Offer message) {
            offered(from, message, now);
        }
    }

    /** Takes what servers report of checkpoints. */
    private final class ServerReceiver implements MessageVisitor {
        private final Address from;
        private final long now;

        ServerReceiver(Address from, long now) {
            this.from = from;
            this.now = now;
        }

        @Override
        public void saved(Saved answer) {
            if (operation != null) {
                operation.saved(from, answer, now);
            }
        }

        @Override
        public void failed(Failed message) {
            if (membership.view().has(from)) {
                LOG.error("{}", message.why());
                if (!started.completeExceptionally(new IllegalStateException(message.why()))) {
                    ServerSupervisor.this.failed(from, "has no state", now);
                }
            }
        }
    }

    /** Keeps an offer, or repeats the appointment of a server that has not heard of it. */
    private void offered(Address candidate, Offer offer, long now) {
        placement.serverOf(candidate).ifPresentOrElse(this::appoint, () -> placement.offered(candidate, offer, now));
    }

    /** Tells a candidate that it is a server; again if it has not heard. */
    private void appoint(Address server) {
        View view = membership.view();
        if (view.has(server)) {
            Appointment as = placement.appointment(server);
            StoredCheckpoint stored = checkpoint.orElse(new StoredCheckpoint("", 0));
            loop.send(new Envelope(
                    Address.DRIVER,
                    as.candidate(),
                    view.epoch(),
                    new Appoint(server.id(), view, as.start(), stored.folder(), stored.number())));
        }
    }

    /** Starts tasks, appoints candidates for servers that are down, and publishes the state for other threads. */
    private void fill(long now) {
        placement.keep(now);
        if (membership == null && placement.waiting() >= tasks && placement.isSpread(now)) {
            begin(now);
        }
        if (membership != null && membership.mustGoBack()) {
            goBack(now);
        }
        for (int server = 0; membership != null && server < servers; server++) {
            if (!membership.view().isUp(server) && placement.hasCandidate(server, now)) {
                Address candidate = placement.best();
                Address address = membership.replaced(server, placement.endpoint(candidate), now);
                LOG.info("server {} is replaced by {}", server, candidate);
                replaced++;
                boolean fresh = goingBack.remove(server) || !updatable;
                become(address, candidate, fresh ? first() : Start.RECOVER, now);
            }
        }
        if (operation != null) {
            operation.proceed();
            operation = operation.isDone() ? null : operation;
        }
        publish();
    }

    private void publish() {
        state = new ServerState(
                placement.executors(),
                failures,
                replaced,
                membership == null ? 0 : membership.view().rollbacks(),
                membership != null && membership.isHealthy(),
                membership == null ? 0 : membership.recovered());
        if (state.isHealthy()) {
            started.complete(null);
        }
    }

    /** Appoints the first servers. */
    private void begin(long now) {
        List<Address> first = placement.first();
        View all = View.of(first.stream().map(placement::endpoint).toList());
        View view = checkpoint.isPresent() ? all.withCheckpoint() : all;
        membership = new Membership(view, timing, loop::send);
        for (int server = 0; server < servers; server++) {
            become(view.address(server), first.get(server), first(), now);
        }
    }

    /** The state that servers start from before the first update, or when they go back. */
    private Start first() {
        return checkpoint.isPresent() ? Start.CHECKPOINT : Start.INITIAL;
    }

    private void become(Address server, Address candidate, Start start, long now) {
        placement.appoint(server, candidate, start);
        heard.put(server, now);
        appoint(server);
    }

    @Override
    public void tick(long now) {
        wake(now);
        if (membership != null) {
            for (Address server : membership.view().addresses()) {
                boolean ended = disconnected.contains(server);
                if (now - heard.getOrDefault(server, now) > (ended ? absence : heartbeatTimeout)) {
                    failed(
                            server,
                            ended ? "has closed its connection" : "has been silent for " + heartbeatTimeout + " ms",
                            now);
                }
            }
            membership.tick(now);
        }
        if (operation != null) {
            operation.ask();
        }
        fill(now);
        if (jobs.areOver()) {
            started.completeExceptionally(
                    new IllegalStateException("the application has ended before its parameter servers were up"));
        } else {
            warn(now);
        }
    }

    /** Says what updates wait for, if they do for long. */
    private void warn(long now) {
        String awaited = awaited();
        if (awaited.isEmpty()) {
            warned = now;
        } else if (now - warned >= WARNING) {
            warned = now;
            LOG.warn("{}", awaited);
        }
    }

    /** A server that is down, or those that write a checkpoint. {@link ParameterServers} says it of the start. */
    private String awaited() {
        StartProgress progress = progress();
        if (!progress.down().isEmpty() && started.isDone()) {
            return progress.missing();
        }
        return operation == null ? "" : operation.awaited();
    }

    /** Waits a moment for a server or a candidate to connect again: its process has ended if it does not. */
    @Override
    public void gone(Address address, long now) {
        wake(now);
        Address server = server(address);
        if (heard.replace(server, now) != null) {
            disconnected.add(server);
        }
        placement.gone(address, now);
        fill(now);
    }

    private void failed(Address server, String why, long now) {
        LOG.warn("server {} has failed: it {}", server.id(), why);
        failures.add(placement.appointment(server).executor());
        if (model.redundancy().isNone() && checkpoint.isPresent() && started.isDone()) {
            placement.failed(server, now);
            goBack(now);
        } else {
            membership.failed(server.id(), now);
            heard.remove(server);
            disconnected.remove(server);
            placement.failed(server, now);
        }
    }

    /** Has all servers go back to the last checkpoint, because rows or blocks are lost. */
    private void goBack(long now) {
        LOG.warn(
                "all servers go back to checkpoint {}", checkpoint.orElseThrow().number());
        membership.rolledBack(now);
        placement.recall(now);
        heard.clear();
        disconnected.clear();
        for (int server = 0; server < servers; server++) {
            goingBack.add(server);
        }
    }

    /** Returns how far the servers are on their way up. */
    StartProgress progress() {
        return new StartProgress(
                servers,
                tasks - servers,
                placement.waiting(),
                numbers(server -> !membership.view().isUp(server)),
                numbers(server -> membership.isRecovering(server)),
                jobs.failure());
    }

    /** Returns the servers with a property; none before the first are appointed. */
    private List<Integer> numbers(IntPredicate which) {
        return IntStream.range(0, membership == null ? 0 : servers)
                .filter(which)
                .boxed()
                .toList();
    }

    /**
     * Has all servers write a checkpoint.
     *
     * @param done completes when all have written, or fails
     */
    void save(StoredCheckpoint next, CompletableFuture<Void> done, long now) {
        if (!state.isHealthy() || operation != null) {
            done.completeExceptionally(new IllegalStateException(
                    "servers must be healthy, and no other checkpoint in progress, to write one: wait and try again"));
        } else {
            operation = new CheckpointOperation(new Save(next.number(), next.folder()), membership, loop, done, now);
        }
    }

    /**
     * Records a complete checkpoint as the one to go back to. If servers are on their way back to the one before, all go back to this one:
     * the others would start from it, and that before may be deleted now.
     */
    void saved(StoredCheckpoint last, long now) {
        checkpoint = Optional.of(last);
        membership.checkpointed(now);
        if (isGoingBack()) {
            goBack(now);
        }
    }

    /** Whether a server is still to start from a checkpoint, or to read it. */
    private boolean isGoingBack() {
        return !goingBack.isEmpty()
                || membership.view().addresses().stream()
                        .anyMatch(server -> membership.isRecovering(server.id())
                                && placement.appointment(server).start() == Start.CHECKPOINT);
    }

    @Override
    public String endpoint(Address receiver) {
        boolean known =
                membership != null && receiver.isServer() && membership.view().has(receiver);
        return known ? membership.view().members().get(receiver.id()).endpoint() : "";
    }
}
