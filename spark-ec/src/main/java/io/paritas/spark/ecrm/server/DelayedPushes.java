/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Delayed;
import io.paritas.spark.ecrm.protocol.CommitMessage.Opened;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Wanted;
import io.paritas.spark.ecrm.protocol.TxId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Attempts that may not begin yet, because updates are on hold or a range is closed, and updates that have arrived and
 * are kept for the next attempt.
 */
final class DelayedPushes {
    /** Most bytes of updates that are kept for attempts to come. */
    private static final long MOST_KEPT = 128 << 20;

    private final ServerContext context;
    private final Attempts attempts;
    private final RangeLocks rangeLocks;
    private final KeptPushes kept = new KeptPushes(MOST_KEPT);
    /** By worker: an attempt that was delayed, until its worker is told that it may go on. */
    private final Map<Integer, TxId> delayed = new LinkedHashMap<>();

    private boolean held;
    /** Attempts that begin although the server is on hold. */
    private final Set<TxId> exempt = new LinkedHashSet<>();
    /** When the updates of those were last asked for. */
    private long wanted;
    /** Attempts that a hold has waited for in vain. No other one does: a server that has applied its part of them may name them for ever. */
    private final Set<TxId> missed = new HashSet<>();

    DelayedPushes(ServerContext context, Attempts attempts, RangeLocks rangeLocks) {
        this.context = context;
        this.attempts = attempts;
        this.rangeLocks = rangeLocks;
    }

    boolean isDelayed(TxId tx) {
        return held && attempts.find(tx) == null && !exempt.contains(tx);
    }

    /**
     * Has a worker wait until updates are no longer on hold and no range is closed. With two phases it aborts what other
     * servers may have staged, or these would never be quiet.
     */
    void delay(TxId tx) {
        if (!context.isOnePhase()) {
            delayed.put(tx.worker(), tx);
            context.send(Address.worker(tx.worker()), new Delayed(tx));
        }
    }

    /** Lets attempts go on that were delayed, if nothing delays them now. */
    void open() {
        if (!held && !delayed.isEmpty() && rangeLocks.isOpen()) {
            delayed.values().forEach(tx -> context.send(Address.worker(tx.worker()), new Opened(tx)));
            delayed.clear();
        }
    }

    /** Keeps updates for the next attempt of their worker. */
    void keep(Stage stage) {
        missed.remove(stage.tx());
        kept.keep(stage, context.now());
    }

    /** Records that a worker still wants to make the updates that are kept. */
    void asked(int worker) {
        kept.asked(worker, context.now());
    }

    /** Returns the updates of a push whose first attempt has this sequence number, and keeps them no longer. */
    Optional<Stage> take(int worker, long since) {
        return kept.take(worker, since);
    }

    /** Forgets what is kept and delayed of a worker: its attempt begins. */
    void begun(int worker) {
        kept.forget(worker);
        delayed.remove(worker);
    }

    /** Delays attempts until {@link #resume}, but for some that other servers have applied; returns those to begin. */
    List<Stage> hold(List<TxId> appliedElsewhere) {
        held = true;
        exempt.clear();
        if (!appliedElsewhere.isEmpty()) {
            missed.retainAll(appliedElsewhere);
        }
        // What is older was sent to a server whose place this one has taken, and will not come.
        appliedElsewhere.stream()
                .filter(tx -> tx.epoch() >= context.self.birth() && !missed.contains(tx))
                .forEach(exempt::add);
        // Of those that have arrived, a later push may be kept, which keeps its place.
        return exempt.stream()
                .filter(tx -> !attempts.hasArrived(tx))
                .flatMap(tx -> kept.take(tx.worker(), tx.sequence()).stream())
                .toList();
    }

    /** Ends the hold; returns what is to begin now. */
    List<Stage> resume() {
        held = false;
        exempt.clear();
        // With one phase, other servers may have applied them, so they cannot be refused.
        return context.isOnePhase() ? kept.takeAll() : List.of();
    }

    /** Whether some attempt that other servers have applied has not arrived. */
    boolean hasExempt() {
        exempt.removeIf(attempts::hasArrived);
        return !exempt.isEmpty();
    }

    /** Waits no longer for attempts that have not arrived: their workers are dead. */
    void giveUp() {
        missed.addAll(exempt);
        exempt.clear();
    }

    /** Drops old updates, and asks for those that a hold waits for. */
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
    }
}
