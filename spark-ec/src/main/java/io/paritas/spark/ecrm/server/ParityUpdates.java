/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Difference;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.Shard;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where an iteration is committed in one phase: differences that owners have applied, on their way into the parity. They are told apart by
 * the versions that they build on: a later one waits, and one that is in the parity is only acknowledged.
 */
final class ParityUpdates {
    private record Origin(Address owner, TxId tx) {}

    private final Site site;
    private final Recovery recovery;
    private final Map<Origin, StageParity> waiting = new LinkedHashMap<>();

    ParityUpdates(Site site, Recovery recovery) {
        this.site = site;
        this.recovery = recovery;
    }

    void take(Address owner, StageParity message) {
        waiting.put(new Origin(owner, message.tx()), message);
        proceed();
    }

    /** Applies what may be applied now. */
    void proceed() {
        boolean some = !waiting.isEmpty();
        while (some) {
            some = waiting.entrySet().removeIf(entry -> apply(entry.getKey().owner(), entry.getValue()));
        }
    }

    private boolean apply(Address owner, StageParity message) {
        boolean ready = true;
        for (Difference difference : message.differences()) {
            int table = difference.table();
            long stripe = difference.stripe();
            if (!site.isLost(table, stripe)) {
                if (site.isMissing(table, stripe)) {
                    recovery.want(table, stripe);
                    ready = false;
                } else {
                    ready &= ahead(difference) <= 0;
                }
            }
        }
        if (ready) {
            message.differences().forEach(this::add);
            site.send(owner, new ParityStaged(message.tx()));
        }
        return ready;
    }

    /** By how many updates of its row it comes too early; negative if it is in the parity. */
    private int ahead(Difference difference) {
        long stripe = difference.stripe();
        Shard shard = site.shards.get(difference.table());
        return difference.base() - shard.version(stripe, site.unit(stripe), difference.unit());
    }

    private void add(Difference difference) {
        long stripe = difference.stripe();
        if (!site.isLost(difference.table(), stripe) && ahead(difference) == 0) {
            site.shards.get(difference.table()).add(stripe, site.unit(stripe), difference.unit(), difference.words());
        }
    }

    /** What a server that is gone has sent too early stays so: what came before is gone with it. */
    void fence() {
        waiting.keySet().removeIf(origin -> !site.view().has(origin.owner()));
    }

    boolean isQuiet() {
        return waiting.isEmpty();
    }
}
