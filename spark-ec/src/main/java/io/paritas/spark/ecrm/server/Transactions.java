/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AppliedAttempt;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Outdated;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Restage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Wanted;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settle;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Orphaned;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The attempts to commit iterations, on one server (thesis, 5.3.5). With two phases, updates are staged until their
 * attempt commits or aborts. Those of the same row build on each other in {@link RowChains}, where the thesis locks rows.
 */
final class Transactions {
    /** Leases in which a message may still arrive whose worker has sent it twice, and has left. */
    private static final int LEASES_OF_ECHOES = 6;

    private final ServerContext context;
    private final BlockReplicas replicas;
    private final Attempts attempts = new Attempts();
    private final RowChains chains;
    private final RowStaging rows;
    private final ParityStaging parities;
    private final ParityUpdates parityUpdates;
    private final DelayedPushes pushes;
    private final Outcomes outcomes;
    private final Settlements settlements;
    /** The changes of the server when attempts that wait were last looked at. */
    private long seen;

    Transactions(ServerContext context, BlockReplicas replicas, OnDemandRecovery recovery, RangeLocks rangeLocks) {
        this.context = context;
        this.replicas = replicas;
        this.chains = new RowChains(context, attempts);
        this.rows = new RowStaging(context, recovery, rangeLocks, chains);
        this.parities = new ParityStaging(context, recovery, rangeLocks, attempts);
        this.parityUpdates = new ParityUpdates(context, recovery);
        this.pushes = new DelayedPushes(context, attempts, rangeLocks);
        this.outcomes = new Outcomes(context, attempts, rows, chains, parities, replicas, pushes);
        this.settlements = new Settlements(context, attempts);
    }

    /** Stages updates of rows and blocks; with one phase, applies them. */
    void stage(Address worker, Stage message) {
        // Before anything of it is kept: it would be tried again for ever, and no server would be quiet.
        message.blocks().forEach(gradient -> replicas.check(gradient.block()));
        if (isToBegin(worker, message.tx())) {
            if (pushes.isDelayed(message.tx())) {
                pushes.keep(message);
                pushes.delay(message.tx());
            } else {
                begin(message);
            }
        } else if (attempts.find(message.tx()) == null && !attempts.isPast(message.tx())) {
            // The next attempt, or this one once its epoch is known here, need not send them again.
            pushes.keep(message);
        }
    }

    /** Stages updates that have already arrived, or asks for them. */
    void restage(Address worker, Restage message) {
        TxId tx = message.tx();
        if (isToBegin(worker, tx)) {
            if (pushes.isDelayed(tx)) {
                pushes.asked(tx.worker());
                pushes.delay(tx);
            } else {
                pushes.take(tx.worker(), message.since())
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

    private void begin(Stage message) {
        TxId tx = message.tx();
        pushes.begun(tx.worker());
        Attempt attempt = attempts.findOrBegin(tx, context.now());
        attempt.begin(message);
        if (attempt.isAsked()) {
            outcomes.refuse(attempt);
        } else {
            stage(attempt);
        }
    }

    /** Stages the updates of all rows and blocks or of none, and sends the differences of rows to the parity servers. */
    private void stage(Attempt attempt) {
        OptionalInt lost = attempt.stage().blocks().stream()
                .mapToInt(BlockGradient::block)
                .filter(replicas::isLost)
                .findFirst();
        if (lost.isPresent()) {
            context.lose(attempt.worker(), new Lost(attempt.id.sequence(), -1, new long[] {lost.getAsInt()}));
            outcomes.refuse(attempt);
            return;
        }
        switch (rows.check(attempt)) {
            case READY -> stageIfAsExpected(attempt);
            case WAITS -> {}
            case LOST -> outcomes.refuse(attempt);
            case CLOSED -> {
                outcomes.end(attempt, AttemptOutcome.ABORTED);
                pushes.delay(attempt.id);
            }
        }
    }

    private void stageIfAsExpected(Attempt attempt) {
        rows.unexpected(attempt.stage())
                .ifPresentOrElse(
                        row -> {
                            context.send(attempt.worker(), new Outdated(attempt.id, row.table(), row.row()));
                            outcomes.refuse(attempt);
                        },
                        () -> forward(attempt, rows.stage(attempt)));
    }

    private void forward(Attempt attempt, Map<Integer, List<RowDifferences>> byParity) {
        attempt.forward();
        byParity.forEach((server, differences) -> {
            if (context.view().isUp(server)) {
                attempt.forwarded.put(
                        context.view().address(server), new StageParity(attempt.id, attempt.round(), differences));
            }
        });
        if (context.isOnePhase()) {
            // A parity server that is down now recovers its parity later, with these updates.
            attempt.stage().blocks().forEach(block -> replicas.committed(attempt.id, block.block(), block.gradient()));
        } else if (attempt.forwarded.size() < byParity.size()) {
            outcomes.refuse(attempt);
            return;
        }
        attempt.forwarded.forEach(context::send);
        attempt.forwarded(context.timing, context.now());
        vote(attempt);
    }

    /** Votes to commit when all parity servers have staged the differences, and what they build on is committed. */
    private void vote(Attempt attempt) {
        if (attempt.progress() == Attempt.Progress.WAITS_FOR_PARITY
                && attempt.forwarded.isEmpty()
                && !attempt.waitsForOlder()) {
            if (!context.isOnePhase()) {
                attempt.staged();
                context.send(attempt.worker(), new Staged(attempt.id));
            } else if (attempt.stage().blocks().stream()
                    .noneMatch(block -> replicas.isUnacknowledged(attempt.id, block.block()))) {
                attempt.end(AttemptOutcome.COMMITTED);
                context.changed();
                context.send(attempt.worker(), new Finished(attempt.id, AttemptOutcome.COMMITTED));
            }
        }
    }

    /** Stages differences for parities of this server; with one phase, applies them. */
    void stageParity(Address owner, StageParity message) {
        if (context.isOnePhase()) {
            parityUpdates.take(owner, message);
        } else {
            parities.take(owner, message);
        }
    }

    /** A parity server has staged the differences. */
    void parityStaged(Address server, ParityStaged answer) {
        Attempt attempt = attempts.find(answer.tx());
        if (attempt != null && !attempt.isOver() && attempt.round() == answer.round()) {
            attempt.forwarded.remove(server);
            vote(attempt);
        }
    }

    /** A parity server has refused the differences. */
    void parityRefused(Address server, TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt != null && !attempt.isOver() && attempt.forwarded.containsKey(server)) {
            outcomes.refuse(attempt);
        }
    }

    /** Ends attempts, by the word of workers, other servers and the driver. */
    Outcomes outcomes() {
        return outcomes;
    }

    /** Tells a worker when all attempts of others that are open now are over. */
    void settle(Address worker, Settle question) {
        settlements.ask(worker, question);
    }

    /** A worker sends nothing more; what has this sequence number, or a greater one, is of another one. */
    void leave(Address worker, long next) {
        attempts.leave(worker.id(), next, context.now());
    }

    /** Begins no attempts until {@link #resume}, but for some that other servers have applied. */
    void hold(List<TxId> appliedElsewhere) {
        pushes.hold(appliedElsewhere).forEach(this::stageKept);
    }

    void resume() {
        pushes.resume().forEach(this::stageKept);
    }

    private void stageKept(Stage stage) {
        stage(Address.worker(stage.tx().worker()), stage);
    }

    /** Whether some attempt that other servers have applied has not arrived. */
    boolean hasExempt() {
        return pushes.hasExempt();
    }

    /** Waits in no hold for those that have not arrived. */
    void giveUpExempt() {
        pushes.giveUp();
    }

    /**
     * Returns the last attempt of each worker that is applied here and, at least in part, elsewhere. What a worker that has left did is over
     * everywhere.
     */
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
                outcomes.refuse(attempt);
            }
        }
    }

    /** Continues attempts that wait for rows or parity, the oldest first, if anything has changed since. */
    void proceed() {
        pushes.open();
        while (seen != context.changes()) {
            seen = context.changes();
            attempts.open().stream()
                    .filter(attempt -> attempt.progress() == Attempt.Progress.WAITS_FOR_ROWS)
                    .sorted(Comparator.comparingLong(
                                    (Attempt attempt) -> attempt.stage().age())
                            .thenComparing(attempt -> attempt.id.worker()))
                    .forEach(this::stage);
            attempts.open().forEach(parities::proceed);
            parityUpdates.proceed();
        }
        attempts.open().forEach(this::vote);
        settlements.proceed();
    }

    /** Repeats requests, and reports or aborts attempts whose lease is over. */
    void tick() {
        pushes.tick();
        attempts.forgetLeftBefore(context.now() - LEASES_OF_ECHOES * context.timing.lease());
        for (Attempt attempt : attempts.open()) {
            if (attempt.repeatsForwarded(context.timing, context.now())) {
                attempt.forwarded.forEach(context::send);
            }
            if (context.now() - attempt.repeated >= context.timing.retry()) {
                attempt.repeated = context.now();
                if (attempt.isInTheWay()) {
                    context.send(attempt.worker(), new Refused(attempt.id));
                }
                if (!context.isOnePhase() && context.now() - attempt.since >= context.timing.lease()) {
                    if (attempt.isVoted()) {
                        context.send(Address.DRIVER, new Orphaned(attempt.id));
                    } else {
                        outcomes.refuse(attempt);
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
        return context.isOnePhase() ? Set.of() : attempts.staged(context.epoch(), context);
    }

    /** Whether an update of some stripes is staged. */
    boolean isStaged(Attempts.Stripes which) {
        return attempts.isStaged(which, context);
    }

    /** Whether an attempt that began before an epoch has staged an update of a block. */
    boolean isBlockStaged(int block, int before) {
        return !context.isOnePhase() && attempts.isBlockStaged(block, before);
    }

    /** Whether nothing is staged. */
    boolean isQuiet() {
        return chains.areEmpty() && attempts.open().isEmpty() && parityUpdates.isQuiet();
    }
}
