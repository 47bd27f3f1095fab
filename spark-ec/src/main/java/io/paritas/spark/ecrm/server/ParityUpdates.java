/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.RowDifference;
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
        for (RowDifference difference : message.differences()) {
            int table = difference.table();
            long stripe = difference.stripe();
            if (!context.isLost(table, stripe)) {
                if (context.isMissing(table, stripe)) {
                    recovery.want(table, stripe);
                    ready = false;
                } else {
                    ready &= ahead(difference) <= 0;
                }
            }
        }
        if (ready) {
            message.differences().forEach(this::add);
            context.send(owner, new ParityStaged(message.tx()));
        }
        return ready;
    }

    /**
     * Returns how many updates of the row are still missing before this one; negative if it is already in the parity.
     */
    private int ahead(RowDifference difference) {
        long stripe = difference.stripe();
        Shard shard = context.shards.get(difference.table());
        return difference.base() - shard.version(stripe, context.unit(stripe), difference.unit());
    }

    private void add(RowDifference difference) {
        long stripe = difference.stripe();
        if (!context.isLost(difference.table(), stripe) && ahead(difference) == 0) {
            context.shards
                    .get(difference.table())
                    .add(stripe, context.unit(stripe), difference.unit(), difference.words());
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
