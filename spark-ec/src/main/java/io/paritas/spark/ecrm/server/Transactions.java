/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.Difference;
import io.paritas.spark.ecrm.protocol.Outcome;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Knowledge;
import io.paritas.spark.ecrm.protocol.ViewMessage.Orphaned;
import io.paritas.spark.ecrm.table.Shard;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The attempts to commit iterations, at one server. A row is locked from the time its update is staged until it is committed or
 * aborted. An attempt waits for locks only if it is older than all who have them, else it is refused: so none waits for itself.
 */
final class Transactions {
    private final Site site;
    private final Replicas replicas;
    private final Recovery recovery;
    private final Ranges ranges;
    private final ParityUpdates parityUpdates;
    private final Attempts attempts = new Attempts();
    private final Map<UnitId, Attempt> locks = new HashMap<>();
    private boolean held;

    Transactions(Site site, Replicas replicas, Recovery recovery, Ranges ranges) {
        this.site = site;
        this.replicas = replicas;
        this.recovery = recovery;
        this.ranges = ranges;
        this.parityUpdates = new ParityUpdates(site, recovery);
    }

    void stage(Address worker, Stage message) {
        TxId tx = message.tx();
        Attempt attempt = attempts.find(tx);
        if (attempts.isPast(tx) || attempts.isEarly(tx)) {
            return;
        }
        if (attempt != null && attempt.isOver()) {
            site.send(worker, new Finished(tx, attempt.outcome()));
        } else if (attempt != null && attempt.part() == Attempt.Part.STAGED) {
            site.send(worker, new Staged(tx));
        } else if (tx.epoch() < site.epoch() && !site.isOnePhase()) {
            site.send(worker, new Fence(site.view()));
        } else if (held && attempt == null) {
            // In one phase it may be applied elsewhere: it is asked again.
            if (!site.isOnePhase()) {
                site.send(worker, new Refused(tx));
            }
        } else if (tx.epoch() <= site.epoch()) {
            begin(attempt == null ? attempts.begin(tx, site.now()) : attempt, message);
        }
    }

    private void begin(Attempt attempt, Stage message) {
        if (attempt.part() == Attempt.Part.NONE) {
            attempt.begin(message);
            if (attempt.isAsked()) {
                refuse(attempt);
            } else {
                stageRows(attempt);
            }
        }
    }

    /** Locks all rows or none. */
    private void stageRows(Attempt attempt) {
        boolean ready = true;
        for (RowGradients rows : attempt.stage().rows()) {
            for (long row : rows.rows()) {
                long stripe = site.stripes.stripe(row);
                if (site.isLost(rows.table(), stripe)) {
                    Lost lost = new Lost(attempt.id.sequence(), rows.table(), new long[] {stripe});
                    site.send(Address.worker(attempt.id.worker()), lost);
                    refuse(attempt);
                    return;
                }
                Attempt holder = locks.get(new UnitId(rows.table(), stripe, site.stripes.unit(row)));
                boolean closed = ranges.isClosed(rows.table(), stripe);
                if ((closed && !site.isOnePhase()) || (holder != null && holder.isOlderThan(attempt))) {
                    refuse(attempt);
                    return;
                }
                if (site.isMissing(rows.table(), stripe)) {
                    recovery.want(rows.table(), stripe);
                    ready = false;
                }
                ready &= holder == null && !closed;
            }
        }
        if (ready) {
            lock(attempt);
        }
    }

    private void lock(Attempt attempt) {
        Map<Integer, List<Difference>> byParity = new LinkedHashMap<>();
        for (RowGradients rows : attempt.stage().rows()) {
            Shard shard = site.shards.get(rows.table());
            int width = site.model.tables().get(rows.table()).width();
            for (int i = 0; i < rows.rows().length; i++) {
                long stripe = site.stripes.stripe(rows.rows()[i]);
                int unit = site.stripes.unit(rows.rows()[i]);
                int[] words = shard.difference(stripe, unit, rows.gradients(), i * width);
                Difference difference =
                        new Difference(rows.table(), stripe, unit, shard.version(stripe, unit, unit), words);
                attempt.own.add(difference);
                if (site.isOnePhase()) {
                    apply(difference);
                } else {
                    locks.put(new UnitId(rows.table(), stripe, unit), attempt);
                }
                for (int parity = site.stripes.k(); parity < site.stripes.units(); parity++) {
                    byParity.computeIfAbsent(site.stripes.server(stripe, parity), none -> new ArrayList<>())
                            .add(difference);
                }
            }
        }
        attempt.forward();
        byParity.forEach((server, differences) -> {
            if (site.view().isUp(server)) {
                attempt.forwarded.put(site.view().address(server), new StageParity(attempt.id, differences));
            }
        });
        if (site.isOnePhase()) {
            // A parity server that comes later makes its parity of what is here then.
            attempt.stage().blocks().forEach(block -> replicas.committed(attempt.id, block.block(), block.gradient()));
        } else if (attempt.forwarded.size() < byParity.size()) {
            refuse(attempt);
            return;
        }
        attempt.forwarded.forEach(site::send);
        vote(attempt);
    }

    private void vote(Attempt attempt) {
        if (attempt.part() == Attempt.Part.WAITS_FOR_PARITY && attempt.forwarded.isEmpty()) {
            Address worker = Address.worker(attempt.id.worker());
            if (!site.isOnePhase()) {
                attempt.staged();
                site.send(worker, new Staged(attempt.id));
            } else if (attempt.stage().blocks().stream()
                    .noneMatch(block -> replicas.isTold(attempt.id, block.block()))) {
                attempt.end(Outcome.COMMITTED);
                site.send(worker, new Finished(attempt.id, Outcome.COMMITTED));
            }
        }
    }

    private void apply(Difference own) {
        site.shards.get(own.table()).add(own.stripe(), own.unit(), own.unit(), own.words());
    }

    void stageParity(Address owner, StageParity message) {
        if (site.isOnePhase()) {
            parityUpdates.take(owner, message);
            return;
        }
        TxId tx = message.tx();
        Attempt attempt = attempts.find(tx);
        if (attempts.isPast(tx) || tx.epoch() > site.epoch()) {
            return;
        }
        if (attempt != null && attempt.parity.containsKey(owner)) {
            site.send(owner, new ParityStaged(tx));
            return;
        }
        if (tx.epoch() < site.epoch() || (attempt != null && (attempt.isOver() || attempt.isAsked()))) {
            site.send(owner, new Refused(tx));
            return;
        }
        if (attempt == null) {
            attempt = attempts.begin(tx, site.now());
        }
        attempt.waiting.put(owner, message);
        stageWaiting(attempt, owner);
    }

    private void stageWaiting(Attempt attempt, Address owner) {
        StageParity message = attempt.waiting.get(owner);
        boolean ready = true;
        for (Difference difference : message.differences()) {
            int table = difference.table();
            long stripe = difference.stripe();
            if (site.isLost(table, stripe)) {
                continue;
            }
            if (site.isMissing(table, stripe)) {
                recovery.want(table, stripe);
                ready = false;
                continue;
            }
            int version = site.shards.get(table).version(stripe, site.unit(stripe), difference.unit());
            if (ranges.isClosed(table, stripe) || difference.base() - version < 0) {
                attempt.waiting.remove(owner);
                site.send(owner, new Refused(attempt.id));
                return;
            }
            // A later one: the update before it is committed at the owner, and will be here.
            ready &= difference.base() == version;
        }
        if (ready) {
            attempt.waiting.remove(owner);
            attempt.parity.put(owner, message);
            site.send(owner, new ParityStaged(attempt.id));
        }
    }

    void parityStaged(Address server, TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt != null && !attempt.isOver()) {
            attempt.forwarded.remove(server);
            vote(attempt);
        }
    }

    void parityRefused(Address server, TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt != null && !attempt.isOver() && attempt.forwarded.containsKey(server)) {
            refuse(attempt);
        }
    }

    /** What this server has not voted for, it may abort. */
    private void refuse(Attempt attempt) {
        boolean known = attempt.part() != Attempt.Part.NONE;
        end(attempt, Outcome.ABORTED);
        if (known) {
            site.send(Address.worker(attempt.id.worker()), new Refused(attempt.id));
        }
    }

    void finish(Address from, Finish message) {
        TxId tx = message.tx();
        boolean driver = from.equals(Address.DRIVER);
        Attempt attempt = attempts.find(tx);
        if (attempts.isPast(tx)) {
            if (driver) {
                site.send(from, new Finished(tx, message.outcome()));
            }
            return;
        }
        if (attempt == null) {
            if (message.outcome() == Outcome.ABORTED) {
                attempts.abort(tx, site.now());
            }
            site.send(from, new Finished(tx, message.outcome()));
            return;
        }
        if (!attempt.isOver()) {
            if (attempt.isAsked() && !driver && message.outcome() == Outcome.COMMITTED) {
                return;
            }
            end(attempt, message.outcome());
        }
        site.send(from, new Finished(tx, attempt.outcome()));
    }

    /** Whether it is committed here, or now is, because it is somewhere else. */
    boolean commit(TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt == null) {
            return false;
        }
        if (!attempt.isOver() && !attempt.isAsked()) {
            end(attempt, Outcome.COMMITTED);
        }
        return attempt.outcome() == Outcome.COMMITTED;
    }

    private void end(Attempt attempt, Outcome outcome) {
        List<BlockGradient> blocks =
                attempt.stage() == null ? List.of() : attempt.stage().blocks();
        if (outcome == Outcome.COMMITTED) {
            attempt.own.forEach(this::apply);
            attempt.parity.values().forEach(staged -> staged.differences().forEach(this::addToParity));
        }
        attempt.own.forEach(own -> locks.remove(new UnitId(own.table(), own.stripe(), own.unit()), attempt));
        attempt.end(outcome);
        if (outcome == Outcome.COMMITTED) {
            blocks.forEach(block -> replicas.committed(attempt.id, block.block(), block.gradient()));
        }
    }

    private void addToParity(Difference difference) {
        long stripe = difference.stripe();
        if (!site.isLost(difference.table(), stripe)) {
            site.shards.get(difference.table()).add(stripe, site.unit(stripe), difference.unit(), difference.words());
        }
    }

    Knowledge query(TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt == null && !attempts.isPast(tx) && tx.epoch() >= site.self.birth()) {
            attempts.abort(tx, site.now());
        }
        if (attempt != null && !attempt.isOver()) {
            if (attempt.isVoted()) {
                attempt.ask();
            } else {
                refuse(attempt);
            }
        }
        return attempt != null && attempt.outcome() == Outcome.COMMITTED
                ? Knowledge.COMMITTED
                : Knowledge.NOT_COMMITTED;
    }

    /** From now on, no attempt begins here. */
    void hold() {
        held = true;
    }

    void resume() {
        held = false;
    }

    /** What is not staged by now will not be: its epoch is over. In one phase, who is gone is waited for no more. */
    void fence() {
        parityUpdates.fence();
        for (Attempt attempt : attempts.open()) {
            if (site.isOnePhase()) {
                attempt.forwarded.keySet().removeIf(server -> !site.view().has(server));
            } else if (!attempt.isVoted()) {
                attempt.waiting.keySet().forEach(owner -> site.send(owner, new Refused(attempt.id)));
                refuse(attempt);
            }
        }
    }

    /** Those that may go on since something has changed, the oldest first. */
    void proceed() {
        attempts.open().stream()
                .filter(attempt -> attempt.part() == Attempt.Part.WAITS_FOR_ROWS)
                .sorted(Comparator.comparingLong(
                                (Attempt attempt) -> attempt.stage().age())
                        .thenComparing(attempt -> attempt.id.worker()))
                .forEach(this::stageRows);
        attempts.open().forEach(attempt -> List.copyOf(attempt.waiting.keySet())
                .forEach(owner -> stageWaiting(attempt, owner)));
        parityUpdates.proceed();
        if (site.isOnePhase()) {
            attempts.open().forEach(this::vote);
        }
    }

    /** Asks again, and looks after those whose worker is gone. */
    void tick() {
        for (Attempt attempt : attempts.open()) {
            if (site.now() - attempt.told >= site.timing.retry()) {
                attempt.told = site.now();
                attempt.forwarded.forEach(site::send);
                if (!site.isOnePhase() && site.now() - attempt.since >= site.timing.lease()) {
                    if (attempt.isVoted()) {
                        site.send(Address.DRIVER, new Orphaned(attempt.id));
                    } else {
                        refuse(attempt);
                    }
                }
            }
        }
    }

    /** Units with an update of which a server that is gone may know more. In one phase there are none: versions tell. */
    Set<UnitId> doubtful() {
        return site.isOnePhase() ? Set.of() : staged(site.epoch());
    }

    /** Units with an update that is staged, or not yet in the parity, of attempts that began before an epoch. */
    Set<UnitId> staged(int before) {
        return attempts.staged(before, site);
    }

    /** Whether an update of a block is staged, of an attempt that began before an epoch. */
    boolean isBlockStaged(int block, int before) {
        return !site.isOnePhase() && attempts.isBlockStaged(block, before);
    }

    /** Whether nothing is staged. */
    boolean isQuiet() {
        return locks.isEmpty() && attempts.open().isEmpty() && parityUpdates.isQuiet();
    }
}
