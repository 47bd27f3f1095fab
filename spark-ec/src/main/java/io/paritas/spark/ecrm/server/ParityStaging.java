/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.server.Attempt.Place;
import io.paritas.spark.ecrm.table.Shard;
import java.util.List;

/** The parity server's part of attempts with two phases: holds differences until the attempt ends. */
final class ParityStaging {
    /** Whether differences can be staged. */
    private enum Verdict {
        READY,
        WAITS,
        REFUSED
    }

    private final ServerContext context;
    private final OnDemandRecovery recovery;
    private final RangeLocks rangeLocks;
    private final Attempts attempts;

    ParityStaging(ServerContext context, OnDemandRecovery recovery, RangeLocks rangeLocks, Attempts attempts) {
        this.context = context;
        this.recovery = recovery;
        this.rangeLocks = rangeLocks;
        this.attempts = attempts;
    }

    /** Stages differences for parities of this server. */
    void take(Address owner, StageParity message) {
        TxId tx = message.tx();
        Attempt attempt = attempts.find(tx);
        if (attempts.isPast(tx) || tx.epoch() > context.epoch()) {
            return;
        }
        StageParity staged = attempt == null ? null : attempt.parity.get(owner);
        StageParity waiting = attempt == null ? null : attempt.waiting.get(owner);
        if (isBefore(message, staged) || isBefore(message, waiting)) {
            return;
        }
        if (staged != null && staged.round() == message.round()) {
            context.send(owner, new ParityStaged(tx, message.round()));
            return;
        }
        if (tx.epoch() < context.epoch() || (attempt != null && (attempt.isOver() || attempt.isAsked()))) {
            context.send(owner, new Refused(tx));
            return;
        }
        Attempt begun = attempts.findOrBegin(tx, context.now());
        begun.parity.remove(owner);
        begun.waiting.put(owner, message);
        begun.behind.remove(owner);
        proceed(begun, owner);
    }

    /** Whether differences are of an earlier round than others. */
    private static boolean isBefore(StageParity message, StageParity other) {
        return other != null && message.round() < other.round();
    }

    /** Stages what waits in an attempt, where it can. */
    void proceed(Attempt attempt) {
        List.copyOf(attempt.waiting.keySet()).forEach(owner -> proceed(attempt, owner));
    }

    private void proceed(Attempt attempt, Address owner) {
        if (isBehind(attempt.behind.get(owner))) {
            return;
        }
        StageParity message = attempt.waiting.get(owner);
        Verdict verdict = check(attempt, owner, message);
        if (verdict != Verdict.WAITS) {
            attempt.behind.remove(owner);
            attempt.waiting.remove(owner);
        }
        if (verdict == Verdict.READY) {
            attempt.parity.put(owner, message);
            context.send(owner, new ParityStaged(attempt.id, message.round()));
        } else if (verdict == Verdict.REFUSED) {
            context.send(owner, new Refused(attempt.id));
        }
    }

    /**
     * Whether differences still wait for updates before them, so that their other rows need no look: many attempts may wait, and look after
     * each that ends. Where rows are missing or in a closed range, each row counts. That another row is outdated is noticed later: the owner
     * sends a newer round by itself.
     */
    private boolean isBehind(Place place) {
        if (place == null || !rangeLocks.isOpen() || !context.isWhole()) {
            return false;
        }
        long stripe = context.stripes.stripe(place.row());
        int version = context.shards
                .get(place.table())
                .version(stripe, context.unit(stripe), context.stripes.unit(place.row()));
        return place.base() - version > 0;
    }

    private Verdict check(Attempt attempt, Address owner, StageParity message) {
        Verdict verdict = Verdict.READY;
        int most = 0;
        for (RowDifferences rows : message.differences()) {
            int table = rows.table();
            Shard shard = context.shards.get(table);
            shard.touchVersions(rows.rows());
            for (int i = 0; i < rows.count(); i++) {
                long stripe = context.stripes.stripe(rows.rows()[i]);
                if (context.isLost(table, stripe)) {
                    continue;
                }
                if (context.isMissing(table, stripe)) {
                    recovery.want(table, stripe);
                    verdict = Verdict.WAITS;
                    continue;
                }
                int version = shard.version(stripe, context.unit(stripe), context.stripes.unit(rows.rows()[i]));
                if (rangeLocks.isClosed(table, stripe) || rows.bases()[i] - version < 0) {
                    return Verdict.REFUSED;
                }
                // If the base is ahead, the update before it will be committed here, too, or the owner sends another
                // base.
                if (rows.bases()[i] != version) {
                    verdict = Verdict.WAITS;
                }
                if (rows.bases()[i] - version > most) {
                    most = rows.bases()[i] - version;
                    attempt.behind.put(owner, new Place(rows, i));
                }
            }
        }
        return verdict;
    }

    /** Adds the staged differences of an attempt to the parities. */
    void apply(Attempt attempt) {
        attempt.parity.values().forEach(message -> message.differences().forEach(this::add));
    }

    private void add(RowDifferences rows) {
        Shard shard = context.shards.get(rows.table());
        for (int i = 0; i < rows.count(); i++) {
            shard.touchParities(rows.rows(), i);
            long row = rows.rows()[i];
            long stripe = context.stripes.stripe(row);
            if (!context.isLost(rows.table(), stripe)) {
                shard.add(stripe, context.unit(stripe), context.stripes.unit(row), rows.words(), rows.at(i));
            }
        }
    }
}
