/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.Outcome;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The updates of an iteration, committed at all servers that they touch, or at none (thesis 5.3.5). An attempt that is refused,
 * because another iteration wants the same rows or a server has failed, is made again. In one phase there is one attempt, and what
 * a server that fails meanwhile has of it is not known.
 */
public final class Push {
    private enum Phase {
        STAGING,
        FINISHING,
        PAUSING,
        DONE
    }

    private final Peers peers;
    private final List<RowGradients> rows;
    private final List<BlockGradient> blocks;
    private final long age;
    /** Then servers answer at once that they have finished, and nobody refuses. */
    private final boolean onePhase;

    private final Map<Address, Stage> unstaged = new LinkedHashMap<>();
    private final Set<Address> participants = new LinkedHashSet<>();
    private final Set<Address> unfinished = new LinkedHashSet<>();
    private Phase phase = Phase.PAUSING;
    private TxId tx;
    private Outcome outcome;
    private long told;
    private long next;
    private int attempts;
    private RuntimeException failure;

    Push(Peers peers, List<RowGradients> rows, List<BlockGradient> blocks) {
        this.peers = peers;
        this.rows = rows;
        this.blocks = blocks;
        this.age = peers.now();
        this.onePhase = peers.model.redundancy().isOnePhase();
        begin();
    }

    /** Stages all, unless a server is down that takes part: then the next view is waited for. */
    private void begin() {
        Map<Integer, List<RowGradients>> rowsOf = new HashMap<>();
        Map<Integer, List<BlockGradient>> blocksOf = new HashMap<>();
        Set<Integer> servers = new LinkedHashSet<>();
        for (RowGradients gradients : rows) {
            for (long row : gradients.rows()) {
                long stripe = peers.stripes.stripe(row);
                servers.add(peers.stripes.owner(row));
                for (int parity = peers.stripes.k(); parity < peers.stripes.units(); parity++) {
                    servers.add(peers.stripes.server(stripe, parity));
                }
            }
            split(gradients).forEach((server, part) -> rowsOf.computeIfAbsent(server, none -> new ArrayList<>())
                    .add(part));
        }
        for (BlockGradient gradient : blocks) {
            for (int server : peers.replicas.servers(gradient.block())) {
                servers.add(server);
                if (!onePhase || server == peers.first(gradient.block())) {
                    blocksOf.computeIfAbsent(server, none -> new ArrayList<>()).add(gradient);
                }
            }
        }
        if (!servers.stream().allMatch(peers.view()::isUp)) {
            return;
        }
        phase = Phase.STAGING;
        tx = new TxId(peers.worker(), peers.nextNumber(), peers.view().epoch());
        told = peers.now();
        attempts++;
        participants.clear();
        unstaged.clear();
        for (int server : servers) {
            Address address = peers.view().address(server);
            participants.add(address);
            if (rowsOf.containsKey(server) || blocksOf.containsKey(server)) {
                unstaged.put(
                        address,
                        new Stage(
                                tx,
                                age,
                                rowsOf.getOrDefault(server, List.of()),
                                blocksOf.getOrDefault(server, List.of())));
            }
        }
        unstaged.forEach(peers::send);
        if (unstaged.isEmpty()) {
            phase = Phase.DONE;
        }
    }

    /** By owner. */
    private Map<Integer, RowGradients> split(RowGradients all) {
        Map<Integer, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < all.rows().length; i++) {
            places.computeIfAbsent(peers.stripes.owner(all.rows()[i]), none -> new ArrayList<>())
                    .add(i);
        }
        int width = peers.model.tables().get(all.table()).width();
        Map<Integer, RowGradients> parts = new LinkedHashMap<>();
        places.forEach((server, chosen) -> {
            long[] some = new long[chosen.size()];
            float[] gradients = new float[chosen.size() * width];
            for (int i = 0; i < some.length; i++) {
                some[i] = all.rows()[chosen.get(i)];
                System.arraycopy(all.gradients(), chosen.get(i) * width, gradients, i * width, width);
            }
            parts.put(server, new RowGradients(all.table(), some, gradients));
        });
        return parts;
    }

    void staged(Address from, TxId which) {
        if (phase == Phase.STAGING && which.equals(tx)) {
            unstaged.remove(from);
            if (unstaged.isEmpty()) {
                finish(Outcome.COMMITTED);
            }
        }
    }

    void refused(TxId which) {
        if (phase == Phase.STAGING && which.equals(tx)) {
            finish(Outcome.ABORTED);
        }
    }

    private void finish(Outcome how) {
        phase = Phase.FINISHING;
        outcome = how;
        told = peers.now();
        unfinished.clear();
        unfinished.addAll(participants);
        unfinished.forEach(server -> peers.send(server, new Finish(tx, how)));
        proceed();
    }

    void finished(Address from, TxId which, Outcome how) {
        if (!which.equals(tx)) {
            return;
        }
        if (onePhase) {
            applied(from);
        } else if (phase == Phase.STAGING && how == Outcome.ABORTED) {
            finish(Outcome.ABORTED);
        } else if (phase == Phase.FINISHING && unfinished.remove(from)) {
            // The driver took this worker for dead, and aborted it everywhere.
            outcome = how == Outcome.ABORTED ? Outcome.ABORTED : outcome;
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
        unfinished.removeIf(server -> !peers.view().has(server));
        if (phase == Phase.FINISHING && unfinished.isEmpty()) {
            if (outcome == Outcome.COMMITTED || failure != null) {
                phase = Phase.DONE;
            } else {
                phase = Phase.PAUSING;
                next = peers.now() + backoff();
            }
        }
    }

    /** Longer after each attempt, and not equally long for all. */
    private long backoff() {
        long longest = peers.timing.backoff() * Math.min(8, attempts);
        return longest / 2 + Math.floorMod(tx.sequence() * 31 + tx.worker() * 17L, longest / 2 + 1);
    }

    void lost(long number, LostException exception) {
        if (phase == Phase.STAGING && tx.sequence() == number) {
            failure = exception;
            if (onePhase) {
                phase = Phase.DONE;
            } else {
                finish(Outcome.ABORTED);
            }
        }
    }

    /** There is a newer view: what is not staged by now will not be. In one phase, what a server has that is gone is not known. */
    void fence() {
        if (onePhase) {
            List.copyOf(unstaged.keySet()).stream()
                    .filter(server -> !peers.view().has(server))
                    .forEach(this::applied);
        } else if (phase == Phase.STAGING) {
            finish(Outcome.ABORTED);
        }
        proceed();
    }

    void fail(RuntimeException why) {
        if (phase != Phase.DONE) {
            failure = why;
            phase = Phase.DONE;
        }
    }

    void tick() {
        if (phase == Phase.PAUSING && peers.now() >= next) {
            begin();
        } else if (peers.now() - told >= peers.timing.retry()) {
            told = peers.now();
            if (phase == Phase.STAGING) {
                unstaged.forEach(peers::send);
            } else if (phase == Phase.FINISHING) {
                unfinished.forEach(server -> peers.send(server, new Finish(tx, outcome)));
            }
        }
    }

    /** Whether it is committed, or has failed. */
    public boolean isDone() {
        return phase == Phase.DONE;
    }

    /** How often it was tried. */
    public int attempts() {
        return attempts;
    }

    /**
     * Nothing, for a push that is committed.
     *
     * @throws LostException if it has failed, because rows of it are lost
     * @throws RolledBackException if servers went back to a checkpoint meanwhile
     */
    public void check() {
        if (failure != null) {
            throw failure;
        }
    }

    /** The last attempt; the one that is committed, if it is. */
    public TxId tx() {
        return tx;
    }
}
