/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.Shard;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * With one-phase commit: differences that owners have applied and parities have not. They are ordered by the version
 * that they build on: one that comes too early waits, and one that is already in the parity is only acknowledged.
 */
final class ParityUpdates {
    private record Source(Address owner, TxId tx) {}

    private final ServerContext context;
    private final OnDemandRecovery recovery;
    private final Map<Source, StageParity> waiting = new LinkedHashMap<>();

    ParityUpdates(ServerContext context, OnDemandRecovery recovery) {
        this.context = context;
        this.recovery = recovery;
    }

    /** Takes the differences of an attempt; acknowledges them when all are in the parities. */
    void take(Address owner, StageParity message) {
        waiting.put(new Source(owner, message.tx()), message);
        proceed();
    }

    /** Applies all differences whose turn has come. */
    void proceed() {
        boolean some = !waiting.isEmpty();
        while (some) {
            some = waiting.entrySet().removeIf(entry -> apply(entry.getKey().owner(), entry.getValue()));
        }
    }

    private boolean apply(Address owner, StageParity message) {
        boolean ready = true;
        for (RowDifferences rows : message.differences()) {
            context.shards.get(rows.table()).touchVersions(rows.rows());
            for (int i = 0; i < rows.count(); i++) {
                int table = rows.table();
                long stripe = context.stripes.stripe(rows.rows()[i]);
                if (!context.isLost(table, stripe)) {
                    if (context.isMissing(table, stripe)) {
                        recovery.want(table, stripe);
                        ready = false;
                    } else {
                        ready &= ahead(rows, i) <= 0;
                    }
                }
            }
        }
        if (ready) {
            message.differences().forEach(this::add);
            context.changed();
            context.send(owner, new ParityStaged(message.tx(), message.round()));
        }
        return ready;
    }

    /**
     * Returns how many updates of the i-th row are still missing before this one; negative if it is already in the
     * parity.
     */
    private int ahead(RowDifferences rows, int i) {
        long stripe = context.stripes.stripe(rows.rows()[i]);
        Shard shard = context.shards.get(rows.table());
        return rows.bases()[i] - shard.version(stripe, context.unit(stripe), context.stripes.unit(rows.rows()[i]));
    }

    private void add(RowDifferences rows) {
        Shard shard = context.shards.get(rows.table());
        for (int i = 0; i < rows.count(); i++) {
            shard.touchParities(rows.rows(), i);
            long row = rows.rows()[i];
            long stripe = context.stripes.stripe(row);
            if (!context.isLost(rows.table(), stripe) && ahead(rows, i) == 0) {
                shard.add(stripe, context.unit(stripe), context.stripes.unit(row), rows.words(), rows.at(i));
            }
        }
    }

    /** Drops differences of owners that have failed: the updates before them are lost with the owner. */
    void fence() {
        waiting.keySet().removeIf(source -> !context.view().has(source.owner()));
    }

    boolean isQuiet() {
        return waiting.isEmpty();
    }
}
