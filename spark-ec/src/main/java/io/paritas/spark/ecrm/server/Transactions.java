/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AppliedAttempt;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Delayed;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Opened;
import io.paritas.spark.ecrm.protocol.CommitMessage.Outdated;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Restage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Wanted;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.RowDifference;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The attempts to commit iterations, on one server (thesis, 5.3.5). With two phases, a row is locked from the time its
 * update is staged until the attempt commits or aborts. An attempt waits for a lock only if it is older than the
 * holder, and is refused otherwise, so there are no deadlocks.
 */
final class Transactions {
    /** Most bytes of updates that are kept for attempts to come. */
    private static final long MOST_KEPT = 128 << 20;

    private final ServerContext context;
    private final BlockReplicas replicas;
    private final OnDemandRecovery recovery;
    private final RangeLocks rangeLocks;
    private final ParityUpdates parityUpdates;
    private final Attempts attempts = new Attempts();
    private final Map<UnitId, Attempt> locks = new HashMap<>();
    private final KeptPushes kept = new KeptPushes(MOST_KEPT);
    /** By worker: an attempt that was delayed, until its worker is told that it may go on. */
    private final Map<Integer, TxId> delayed = new LinkedHashMap<>();

    private boolean held;
    /** Attempts that begin although the server is on hold. */
    private final Set<TxId> exempt = new LinkedHashSet<>();
    /** When the updates of those were last asked for. */
    private long wanted;

    Transactions(ServerContext context, BlockReplicas replicas, OnDemandRecovery recovery, RangeLocks rangeLocks) {
        this.context = context;
        this.replicas = replicas;
        this.recovery = recovery;
        this.rangeLocks = rangeLocks;
        this.parityUpdates = new ParityUpdates(context, recovery);
    }

    /** Stages updates of rows and blocks; with one phase, applies them. */
    void stage(Address worker, Stage message) {
        if (isToBegin(worker, message.tx())) {
            if (isDelayed(message.tx())) {
                kept.keep(message, context.now());
                delay(message.tx());
            } else {
                begin(message);
            }
        } else if (attempts.find(message.tx()) == null && !attempts.isPast(message.tx())) {
            // The next attempt, or this one once its epoch is known here, need not send them again.
            kept.keep(message, context.now());
        }
    }

    /** Stages updates that have already arrived, or asks for them. */
    void restage(Address worker, Restage message) {
        TxId tx = message.tx();
        if (isToBegin(worker, tx)) {
            if (isDelayed(tx)) {
                kept.asked(tx.worker(), context.now());
                delay(tx);
            } else {
                kept.take(tx.worker(), message.since())
                        .ifPresentOrElse(stage -> begin(stage.in(tx)), () -> context.send(worker, new Wanted(tx)));
            }
        }
    }

    /** Whether an attempt may be begun; if not, its worker is told, or has no need to be. */
    private boolean isToBegin(Address worker, TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempts.isPast(tx) || attempts.isEarly(tx)) {
            return false;
        }
        if (attempt != null && attempt.isOver()) {
            context.send(worker, new Finished(tx, attempt.outcome()));
            return false;
        }
        if (attempt != null && attempt.progress() == Attempt.Progress.STAGED) {
            context.send(worker, new Staged(tx));
            return false;
        }
        if (tx.epoch() < context.epoch() && !context.isOnePhase()) {
            context.send(worker, new Fence(context.view()));
            return false;
        }
        return tx.epoch() <= context.epoch() && (attempt == null || attempt.progress() == Attempt.Progress.NONE);
    }

    private boolean isDelayed(TxId tx) {
        return held && attempts.find(tx) == null && !exempt.contains(tx);
    }

    /**
     * Has a worker wait until updates are no longer on hold and no range is closed. With two phases it aborts what other
     * servers may have staged, or these would never be quiet.
     */
    private void delay(TxId tx) {
        if (!context.isOnePhase()) {
            delayed.put(tx.worker(), tx);
            context.send(Address.worker(tx.worker()), new Delayed(tx));
        }
    }

    /** Lets attempts go on that were delayed. */
    private void open() {
        if (!held && rangeLocks.isOpen()) {
            delayed.values().forEach(tx -> context.send(Address.worker(tx.worker()), new Opened(tx)));
            delayed.clear();
        }
    }

    private void begin(Stage message) {
        TxId tx = message.tx();
        kept.forget(tx.worker());
        delayed.remove(tx.worker());
        Attempt known = attempts.find(tx);
        Attempt attempt = known == null ? attempts.begin(tx, context.now()) : known;
        attempt.begin(message);
        if (attempt.isAsked()) {
            refuse(attempt);
        } else {
            stageRows(attempt);
        }
    }

    /** Locks all rows or none, and sends their differences to the parity servers. */
    private void stageRows(Attempt attempt) {
        boolean ready = true;
        for (RowGradients rows : attempt.stage().rows()) {
            for (long row : rows.rows()) {
                long stripe = context.stripes.stripe(row);
                if (context.isLost(rows.table(), stripe)) {
                    Lost lost = new Lost(attempt.id.sequence(), rows.table(), new long[] {stripe});
                    context.lose(Address.worker(attempt.id.worker()), lost);
                    refuse(attempt);
                    return;
                }
                Attempt holder = locks.get(new UnitId(rows.table(), stripe, context.stripes.unit(row)));
                boolean closed = rangeLocks.isClosed(rows.table(), stripe);
                if (closed && !context.isOnePhase()) {
                    end(attempt, AttemptOutcome.ABORTED);
                    delay(attempt.id);
                    return;
                }
                if (holder != null && holder.isOlderThan(attempt)) {
                    refuse(attempt);
                    return;
                }
                if (context.isMissing(rows.table(), stripe)) {
                    recovery.want(rows.table(), stripe);
                    ready = false;
                }
                ready &= holder == null && !closed;
            }
        }
        if (ready) {
            lockIfAsExpected(attempt);
        }
    }

    private void lockIfAsExpected(Attempt attempt) {
        for (ExpectedRow row : attempt.stage().expected()) {
            if (!isAsExpected(row)) {
                context.send(Address.worker(attempt.id.worker()), new Outdated(attempt.id, row.table(), row.row()));
                refuse(attempt);
                return;
            }
        }
        lock(attempt);
    }

    private boolean isAsExpected(ExpectedRow row) {
        int[] words = context.shards
                .get(row.table())
                .newest(context.stripes.stripe(row.row()), context.stripes.unit(row.row()));
        boolean same = true;
        for (int i = 0; i < row.parameters().length; i++) {
            same &= words[1 + i] == Float.floatToRawIntBits(row.parameters()[i]);
        }
        return same;
    }

    private void lock(Attempt attempt) {
        Map<Integer, List<RowDifference>> byParity = new LinkedHashMap<>();
        for (RowGradients rows : attempt.stage().rows()) {
            Shard shard = context.shards.get(rows.table());
            int width = context.model.tables().get(rows.table()).width();
            for (int i = 0; i < rows.rows().length; i++) {
                long stripe = context.stripes.stripe(rows.rows()[i]);
                int unit = context.stripes.unit(rows.rows()[i]);
                int[] words = shard.difference(stripe, unit, rows.gradients(), i * width);
                RowDifference difference =
                        new RowDifference(rows.table(), stripe, unit, shard.version(stripe, unit, unit), words);
                attempt.own.add(difference);
                if (context.isOnePhase()) {
                    apply(difference);
                } else {
                    locks.put(new UnitId(rows.table(), stripe, unit), attempt);
                }
                for (int parity = context.stripes.k(); parity < context.stripes.units(); parity++) {
                    byParity.computeIfAbsent(context.stripes.server(stripe, parity), none -> new ArrayList<>())
                            .add(difference);
                }
            }
        }
        attempt.forward();
        byParity.forEach((server, differences) -> {
            if (context.view().isUp(server)) {
                attempt.forwarded.put(context.view().address(server), new StageParity(attempt.id, differences));
            }
        });
        if (context.isOnePhase()) {
            // A parity server that is down now recovers its parity later, with these updates.
            attempt.stage().blocks().forEach(block -> replicas.committed(attempt.id, block.block(), block.gradient()));
        } else if (attempt.forwarded.size() < byParity.size()) {
            refuse(attempt);
            return;
        }
        attempt.forwarded.forEach(context::send);
        vote(attempt);
    }

    /** Votes to commit when all parity servers have staged the differences. */
    private void vote(Attempt attempt) {
        if (attempt.progress() == Attempt.Progress.WAITS_FOR_PARITY && attempt.forwarded.isEmpty()) {
            Address worker = Address.worker(attempt.id.worker());
            if (!context.isOnePhase()) {
                attempt.staged();
                context.send(worker, new Staged(attempt.id));
            } else if (attempt.stage().blocks().stream()
                    .noneMatch(block -> replicas.isUnacknowledged(attempt.id, block.block()))) {
                attempt.end(AttemptOutcome.COMMITTED);
                context.send(worker, new Finished(attempt.id, AttemptOutcome.COMMITTED));
            }
        }
    }

    private void apply(RowDifference own) {
        context.shards.get(own.table()).add(own.stripe(), own.unit(), own.unit(), own.words());
    }

    /** Stages differences for parities of this server; with one phase, applies them. */
    void stageParity(Address owner, StageParity message) {
        if (context.isOnePhase()) {
            parityUpdates.take(owner, message);
            return;
        }
        TxId tx = message.tx();
        Attempt attempt = attempts.find(tx);
        if (attempts.isPast(tx) || tx.epoch() > context.epoch()) {
            return;
        }
        if (attempt != null && attempt.parity.containsKey(owner)) {
            context.send(owner, new ParityStaged(tx));
            return;
        }
        if (tx.epoch() < context.epoch() || (attempt != null && (attempt.isOver() || attempt.isAsked()))) {
            context.send(owner, new Refused(tx));
            return;
        }
        if (attempt == null) {
            attempt = attempts.begin(tx, context.now());
        }
        attempt.waiting.put(owner, message);
        stageWaiting(attempt, owner);
    }

    private void stageWaiting(Attempt attempt, Address owner) {
        StageParity message = attempt.waiting.get(owner);
        boolean ready = true;
        for (RowDifference difference : message.differences()) {
            int table = difference.table();
            long stripe = difference.stripe();
            if (context.isLost(table, stripe)) {
                continue;
            }
            if (context.isMissing(table, stripe)) {
                recovery.want(table, stripe);
                ready = false;
                continue;
            }
            int version = context.shards.get(table).version(stripe, context.unit(stripe), difference.unit());
            if (rangeLocks.isClosed(table, stripe) || difference.base() - version < 0) {
                attempt.waiting.remove(owner);
                context.send(owner, new Refused(attempt.id));
                return;
            }
            // If the base is ahead, the update before it is committed at the owner and will arrive here.
            ready &= difference.base() == version;
        }
        if (ready) {
            attempt.waiting.remove(owner);
            attempt.parity.put(owner, message);
            context.send(owner, new ParityStaged(attempt.id));
        }
    }

    /** A parity server has staged the differences. */
    void parityStaged(Address server, TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt != null && !attempt.isOver()) {
            attempt.forwarded.remove(server);
            vote(attempt);
        }
    }

    /** A parity server has refused the differences. */
    void parityRefused(Address server, TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt != null && !attempt.isOver() && attempt.forwarded.containsKey(server)) {
            refuse(attempt);
        }
    }

    /** Aborts an attempt that this server has not voted for. */
    private void refuse(Attempt attempt) {
        boolean known = attempt.progress() != Attempt.Progress.NONE;
        end(attempt, AttemptOutcome.ABORTED);
        if (known) {
            context.send(Address.worker(attempt.id.worker()), new Refused(attempt.id));
        }
    }

    /** Commits or aborts an attempt. Only the driver can commit one that it has asked about. */
    void finish(Address from, Finish message) {
        TxId tx = message.tx();
        boolean driver = from.equals(Address.DRIVER);
        Attempt attempt = attempts.find(tx);
        if (attempts.isPast(tx)) {
            if (driver) {
                context.send(from, new Finished(tx, message.outcome()));
            }
            return;
        }
        if (attempt == null) {
            if (message.outcome() == AttemptOutcome.ABORTED) {
                attempts.abort(tx, context.now());
            }
            context.send(from, new Finished(tx, message.outcome()));
            return;
        }
        if (!attempt.isOver()) {
            if (attempt.isAsked() && !driver && message.outcome() == AttemptOutcome.COMMITTED) {
                return;
            }
            end(attempt, message.outcome());
        }
        context.send(from, new Finished(tx, attempt.outcome()));
    }

    /** Commits an attempt that another server has committed; returns false if it is unknown or up to the driver. */
    boolean commit(TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt == null) {
            return false;
        }
        if (!attempt.isOver() && !attempt.isAsked()) {
            end(attempt, AttemptOutcome.COMMITTED);
        }
        return attempt.outcome() == AttemptOutcome.COMMITTED;
    }

    /** Whether an attempt is not over, and only the driver can commit it. */
    boolean isUpToDriver(TxId tx) {
        Attempt attempt = attempts.find(tx);
        return attempt != null && !attempt.isOver() && attempt.isAsked();
    }

    private void end(Attempt attempt, AttemptOutcome outcome) {
        List<BlockGradient> blocks =
                attempt.stage() == null ? List.of() : attempt.stage().blocks();
        if (outcome == AttemptOutcome.COMMITTED) {
            attempt.own.forEach(this::apply);
            attempt.parity.values().forEach(staged -> staged.differences().forEach(this::addToParity));
        }
        attempt.own.forEach(own -> locks.remove(new UnitId(own.table(), own.stripe(), own.unit()), attempt));
        if (outcome == AttemptOutcome.ABORTED && attempt.stage() != null && !context.isOnePhase()) {
            kept.keep(attempt.stage(), context.now());
        }
        attempt.end(outcome);
        if (outcome == AttemptOutcome.COMMITTED) {
            blocks.forEach(block -> replicas.committed(attempt.id, block.block(), block.gradient()));
        }
    }

    private void addToParity(RowDifference difference) {
        long stripe = difference.stripe();
        if (!context.isLost(difference.table(), stripe)) {
            context.shards
                    .get(difference.table())
                    .add(stripe, context.unit(stripe), difference.unit(), difference.words());
        }
    }

    /** Tells the driver whether an attempt is committed here. From now on it is up to the driver, or aborted. */
    Knowledge query(TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt == null && !attempts.isPast(tx) && tx.epoch() >= context.self.birth()) {
            attempts.abort(tx, context.now());
        }
        if (attempt != null && !attempt.isOver()) {
            if (attempt.isVoted()) {
                attempt.ask();
            } else {
                refuse(attempt);
            }
        }
        return attempt != null && attempt.outcome() == AttemptOutcome.COMMITTED
                ? Knowledge.COMMITTED
                : Knowledge.NOT_COMMITTED;
    }

    /** Begins no attempts until {@link #resume}, but for some that other servers have applied. */
    void hold(List<TxId> appliedElsewhere) {
        held = true;
        exempt.clear();
        // What is older was sent to a server whose place this one has taken, and will not come.
        appliedElsewhere.stream()
                .filter(tx -> tx.epoch() >= context.self.birth())
                .forEach(exempt::add);
        exempt.forEach(tx ->
                kept.take(tx.worker(), tx.sequence()).ifPresent(stage -> stage(Address.worker(tx.worker()), stage)));
    }

    void resume() {
        held = false;
        exempt.clear();
        if (context.isOnePhase()) {
            // Other servers may have applied them, so they cannot be refused.
            kept.takeAll().forEach(stage -> stage(Address.worker(stage.tx().worker()), stage));
        }
    }

    /** Whether some attempt that other servers have applied has not arrived. */
    boolean hasExempt() {
        exempt.removeIf(attempts::hasArrived);
        return !exempt.isEmpty();
    }

    /** Returns the last attempt of each worker that is applied here and, at least in part, elsewhere. */
    List<AppliedAttempt> applied() {
        return context.isOnePhase() ? attempts.applied() : List.of();
    }

    /**
     * After a change of view: aborts attempts that are not fully staged. With one phase, stops waiting for failed
     * servers.
     */
    void fence() {
        parityUpdates.fence();
        for (Attempt attempt : attempts.open()) {
            if (context.isOnePhase()) {
                attempt.forwarded.keySet().removeIf(server -> !context.view().has(server));
            } else if (!attempt.isVoted()) {
                attempt.waiting.keySet().forEach(owner -> context.send(owner, new Refused(attempt.id)));
                refuse(attempt);
            }
        }
    }

    /** Continues attempts that wait for rows or parity, the oldest first. */
    void proceed() {
        open();
        attempts.open().stream()
                .filter(attempt -> attempt.progress() == Attempt.Progress.WAITS_FOR_ROWS)
                .sorted(Comparator.comparingLong(
                                (Attempt attempt) -> attempt.stage().age())
                        .thenComparing(attempt -> attempt.id.worker()))
                .forEach(this::stageRows);
        attempts.open().forEach(attempt -> List.copyOf(attempt.waiting.keySet())
                .forEach(owner -> stageWaiting(attempt, owner)));
        parityUpdates.proceed();
        if (context.isOnePhase()) {
            attempts.open().forEach(this::vote);
        }
    }

    /** Repeats requests, and reports or aborts attempts whose lease is over. */
    void tick() {
        if (!held) {
            kept.dropBefore(context.now() - context.timing.lease());
        } else if (context.now() - wanted >= context.timing.retry()) {
            // Their workers may ask less often than the server can wait.
            wanted = context.now();
            exempt.stream()
                    .filter(tx -> !attempts.hasArrived(tx))
                    .forEach(tx -> context.send(Address.worker(tx.worker()), new Wanted(tx)));
        }
        for (Attempt attempt : attempts.open()) {
            if (context.now() - attempt.repeated >= context.timing.retry()) {
                attempt.repeated = context.now();
                attempt.forwarded.forEach(context::send);
                if (!context.isOnePhase() && context.now() - attempt.since >= context.timing.lease()) {
                    if (attempt.isVoted()) {
                        context.send(Address.DRIVER, new Orphaned(attempt.id));
                    } else {
                        refuse(attempt);
                    }
                }
            }
        }
    }

    /**
     * Returns the units with an update in doubt: a failed server may know its outcome. None with one phase, where
     * versions tell.
     */
    Set<UnitId> doubtful() {
        return context.isOnePhase() ? Set.of() : staged(context.epoch());
    }

    /** Returns the units with staged updates of attempts that began before an epoch. */
    Set<UnitId> staged(int before) {
        return attempts.staged(before, context);
    }

    /** Whether an attempt that began before an epoch has staged an update of a block. */
    boolean isBlockStaged(int block, int before) {
        return !context.isOnePhase() && attempts.isBlockStaged(block, before);
    }

    /** Whether nothing is staged. */
    boolean isQuiet() {
        return locks.isEmpty() && attempts.open().isEmpty() && parityUpdates.isQuiet();
    }
}
