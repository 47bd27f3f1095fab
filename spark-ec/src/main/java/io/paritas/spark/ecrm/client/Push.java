/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Restage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.Repetition;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The commit of an iteration: its updates take effect on all servers that they touch, or on none (thesis, 5.3.5). An
 * attempt that is refused, because another iteration updates the same rows or a server has failed, is repeated. With
 * one-phase commit there is one attempt, and a server that fails meanwhile may have applied any part of it. Made by a
 * {@link Worker}; not thread-safe.
 */
public final class Push {
    private enum Phase {
        STAGING,
        FINISHING,
        PAUSING,
        DONE
    }

    private final WorkerContext context;
    private final List<BlockGradient> blocks;
    private final List<ExpectedRow> expected;
    private final long age;
    /** Whether servers apply updates as they arrive, answer at once, and never refuse. */
    private final boolean onePhase;

    /** By server: gradients of the rows that it owns. */
    private final Map<Integer, List<RowGradients>> rowsOf = new HashMap<>();
    /** The owners of the rows, and the servers of their parities. */
    private final Set<Integer> serversOfRows = new LinkedHashSet<>();
    /** The servers that the updates have been sent to. */
    private final Set<Address> sent = new HashSet<>();
    /** Sequence number of the first attempt. */
    private long since = -1;

    private final Map<Address, Stage> unstaged = new LinkedHashMap<>();
    /** The servers that delay the attempt and will tell when to make the next one. */
    private final Set<Address> delaying = new HashSet<>();

    private final Set<Address> participants = new LinkedHashSet<>();
    private final Set<Address> unfinished = new LinkedHashSet<>();
    private Phase phase = Phase.PAUSING;
    private TxId tx;
    private AttemptOutcome outcome;
    /** When requests were last repeated. */
    private long repeated;
    /** How long to wait for an answer before asking again. */
    private long patience;
    /** When the next attempt begins. */
    private long resumeAt;

    private int attempts;
    private RuntimeException failure;

    /** @param age as of a {@link Stage} */
    Push(
            WorkerContext context,
            List<RowGradients> rows,
            List<BlockGradient> blocks,
            List<ExpectedRow> expected,
            long age) {
        this.context = context;
        this.blocks = blocks;
        this.expected = expected;
        this.age = age;
        this.onePhase = context.model.redundancy().isOnePhase();
        boolean[] servers = new boolean[context.stripes.servers()];
        for (RowGradients gradients : rows) {
            for (long row : gradients.rows()) {
                long stripe = context.stripes.stripe(row);
                servers[context.stripes.owner(row)] = true;
                for (int parity = context.stripes.k(); parity < context.stripes.units(); parity++) {
                    servers[context.stripes.server(stripe, parity)] = true;
                }
            }
            split(gradients).forEach((server, part) -> rowsOf.computeIfAbsent(server, none -> new ArrayList<>())
                    .add(part));
        }
        for (int server = 0; server < servers.length; server++) {
            if (servers[server]) {
                serversOfRows.add(server);
            }
        }
        begin();
    }

    /** Begins an attempt, unless one of its servers is down: then waits for the next view. */
    private void begin() {
        Map<Integer, List<BlockGradient>> blocksOf = new HashMap<>();
        Set<Integer> servers = new LinkedHashSet<>(serversOfRows);
        for (BlockGradient gradient : blocks) {
            for (int server : context.replicas.servers(gradient.block())) {
                servers.add(server);
                if (!onePhase || server == context.first(gradient.block())) {
                    blocksOf.computeIfAbsent(server, none -> new ArrayList<>()).add(gradient);
                }
            }
        }
        if (!servers.stream().allMatch(context.view()::isUp)) {
            resumeAt = Long.MAX_VALUE;
            return;
        }
        phase = Phase.STAGING;
        tx = new TxId(context.worker(), context.nextNumber(), context.view().epoch());
        since = since < 0 ? tx.sequence() : since;
        repeated = context.now();
        patience = context.timing.retry();
        attempts++;
        participants.clear();
        unstaged.clear();
        delaying.clear();
        int[] staging = servers.stream()
                .filter(server -> rowsOf.containsKey(server) || blocksOf.containsKey(server))
                .mapToInt(Integer::intValue)
                .toArray();
        for (int server : servers) {
            Address address = context.view().address(server);
            participants.add(address);
            if (rowsOf.containsKey(server) || blocksOf.containsKey(server)) {
                unstaged.put(
                        address,
                        new Stage(
                                tx,
                                age,
                                rowsOf.getOrDefault(server, List.of()),
                                blocksOf.getOrDefault(server, List.of()),
                                expected.stream()
                                        .filter(row -> context.stripes.owner(row.row()) == server)
                                        .toList(),
                                staging));
            }
        }
        unstaged.forEach((server, stage) -> context.send(server, request(server, stage)));
        if (unstaged.isEmpty()) {
            phase = Phase.DONE;
        }
    }

    /** Returns the request to stage updates: without them if they have been sent to that server. */
    private CommitMessage request(Address server, Stage stage) {
        return sent.add(server) ? stage : new Restage(tx, since);
    }

    /** Sends the updates to a server that does not have them. */
    void wanted(Address from, TxId which) {
        if (phase == Phase.STAGING && which.equals(tx) && unstaged.containsKey(from)) {
            context.send(from, unstaged.get(from));
        }
    }

    /** Splits gradients by the owner of their rows. */
    private Map<Integer, RowGradients> split(RowGradients all) {
        int[] owners = new int[all.rows().length];
        int[] counts = new int[context.stripes.servers()];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = context.stripes.owner(all.rows()[i]);
            counts[owners[i]]++;
        }
        int width = context.model.tables().get(all.table()).width();
        RowGradients[] parts = new RowGradients[counts.length];
        Map<Integer, RowGradients> some = new LinkedHashMap<>();
        for (int server = 0; server < parts.length; server++) {
            if (counts[server] > 0) {
                parts[server] =
                        new RowGradients(all.table(), new long[counts[server]], new float[counts[server] * width]);
                some.put(server, parts[server]);
            }
        }
        int[] filled = new int[parts.length];
        for (int i = 0; i < owners.length; i++) {
            RowGradients part = parts[owners[i]];
            int at = filled[owners[i]]++;
            part.rows()[at] = all.rows()[i];
            System.arraycopy(all.gradients(), i * width, part.gradients(), at * width, width);
        }
        return some;
    }

    void staged(Address from, TxId which) {
        if (phase == Phase.STAGING && which.equals(tx)) {
            unstaged.remove(from);
            if (unstaged.isEmpty()) {
                finish(AttemptOutcome.COMMITTED);
            }
        }
    }

    void refused(TxId which) {
        if (phase == Phase.STAGING && which.equals(tx)) {
            finish(AttemptOutcome.ABORTED);
        }
    }

    /** Aborts, and waits until the server says that it may go on, or some time, because that message may be lost. */
    void delayed(Address from, TxId which) {
        if (which.equals(tx) && (phase == Phase.STAGING || outcome == AttemptOutcome.ABORTED)) {
            delaying.add(from);
            if (phase == Phase.STAGING) {
                attempts--; // nobody has refused it
                finish(AttemptOutcome.ABORTED);
            } else if (phase == Phase.PAUSING) {
                resumeAt = Math.max(resumeAt, context.now() + context.timing.retry());
            }
        }
    }

    /** The next attempt may begin, if no other server delays it. */
    void opened(Address from, TxId which) {
        if (which.equals(tx) && delaying.remove(from) && delaying.isEmpty() && phase == Phase.PAUSING) {
            begin();
        }
    }

    private void finish(AttemptOutcome how) {
        phase = Phase.FINISHING;
        outcome = how;
        repeated = context.now();
        patience = context.timing.retry();
        unfinished.clear();
        unfinished.addAll(participants);
        unfinished.forEach(server -> context.send(server, new Finish(tx, how)));
        proceed();
    }

    void finished(Address from, TxId which, AttemptOutcome how) {
        if (!which.equals(tx)) {
            return;
        }
        if (onePhase) {
            applied(from);
        } else if (phase == Phase.STAGING && how == AttemptOutcome.ABORTED) {
            finish(AttemptOutcome.ABORTED);
        } else if (phase == Phase.FINISHING && unfinished.remove(from)) {
            // The driver took this worker for dead and aborted the attempt everywhere.
            outcome = how == AttemptOutcome.ABORTED ? AttemptOutcome.ABORTED : outcome;
            proceed();
        }
    }

    private void applied(Address from) {
        if (phase == Phase.STAGING) {
            unstaged.remove(from);
            phase = unstaged.isEmpty() ? Phase.DONE : phase;
        }
    }

    private void proceed() {
        unfinished.removeIf(server -> !context.view().has(server));
        if (phase == Phase.FINISHING && unfinished.isEmpty()) {
            if (outcome == AttemptOutcome.COMMITTED || failure != null) {
                phase = Phase.DONE;
            } else {
                phase = Phase.PAUSING;
                resumeAt = context.now() + (delaying.isEmpty() ? backoff() : context.timing.retry());
            }
        }
    }

    /** Returns how long to wait before the next attempt: longer after each attempt, and different for each worker. */
    private long backoff() {
        long longest = context.timing.backoff() * Math.min(8, attempts);
        return longest / 2 + Math.floorMod(tx.sequence() * 31 + tx.worker() * 17L, longest / 2 + 1);
    }

    void lost(long number, DataLossException exception) {
        if (phase == Phase.STAGING && tx.sequence() == number) {
            failure = exception;
            if (onePhase) {
                phase = Phase.DONE;
            } else {
                finish(AttemptOutcome.ABORTED);
            }
        }
    }

    void outdated(TxId which, OutdatedRowException exception) {
        if (phase == Phase.STAGING && which.equals(tx)) {
            failure = exception;
            finish(AttemptOutcome.ABORTED);
        }
    }

    /**
     * After a change of view: aborts an attempt that is not fully staged. With one phase, stops waiting for failed
     * servers.
     */
    void fence() {
        if (onePhase) {
            List.copyOf(unstaged.keySet()).stream()
                    .filter(server -> !context.view().has(server))
                    .forEach(this::applied);
        } else if (phase == Phase.STAGING) {
            finish(AttemptOutcome.ABORTED);
        }
        // What the servers delay ends with the epoch, and those that were down may be up.
        resumeAt = delaying.isEmpty() && resumeAt < Long.MAX_VALUE ? resumeAt : context.now();
        delaying.clear();
        proceed();
    }

    void fail(RuntimeException why) {
        if (phase != Phase.DONE) {
            failure = why;
            phase = Phase.DONE;
        }
    }

    /**
     * Its worker sends nothing more: aborts an attempt whose commit it has not sent.
     *
     * @return whether no server may have committed what another one has still to hear of
     */
    boolean abandon() {
        if (phase == Phase.STAGING && !onePhase) {
            finish(AttemptOutcome.ABORTED);
        }
        return phase == Phase.PAUSING || isDone() || outcome == AttemptOutcome.ABORTED;
    }

    /** Returns when the next attempt begins; the greatest time if one is in progress, or waits for a new view. */
    long due() {
        return phase == Phase.PAUSING ? resumeAt : Long.MAX_VALUE;
    }

    void tick() {
        if (phase == Phase.PAUSING && context.now() >= resumeAt) {
            begin();
        } else if (context.now() - repeated >= patience) {
            repeated = context.now();
            if (phase == Phase.STAGING) {
                patience = Repetition.inLease(context.timing, Repetition.next(context.timing, patience));
                unstaged.forEach((server, stage) -> context.send(server, request(server, stage)));
            } else if (phase == Phase.FINISHING) {
                unfinished.forEach(server -> context.send(server, new Finish(tx, outcome)));
            }
        }
    }

    /** Whether the iteration is committed or has failed. */
    public boolean isDone() {
        return phase == Phase.DONE;
    }

    /** Returns the number of attempts so far, without those that servers have delayed, by a pause or a range that is being locked. */
    public int attempts() {
        return attempts;
    }

    /**
     * Returns normally if the iteration is committed.
     *
     * @throws DataLossException if some of its rows are lost
     * @throws OutdatedRowException if a row is not what the push expects
     * @throws RolledBackException if the servers went back to a checkpoint meanwhile
     */
    public void check() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the id of the last attempt, which is the committed one if there is one; null before the first. */
    public TxId tx() {
        return tx;
    }
}
