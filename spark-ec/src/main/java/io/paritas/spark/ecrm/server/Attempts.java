/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one server remembers of attempts. A worker makes one after another, and begins the next one when all servers have ended the last;
 * therefore the last attempt of each worker is all that is needed to know a message that comes late or twice.
 */
final class Attempts {
    private final Map<Integer, Attempt> last = new HashMap<>();

    /** Whether its worker is through with it: it has begun another. */
    boolean isPast(TxId tx) {
        Attempt attempt = last.get(tx.worker());
        return attempt != null && attempt.id.sequence() > tx.sequence();
    }

    /** Whether its worker has given another up that is not over: only in one phase, when rows of another server are lost. */
    boolean isEarly(TxId tx) {
        Attempt attempt = last.get(tx.worker());
        return attempt != null && attempt.id.sequence() < tx.sequence() && !attempt.isOver();
    }

    /** The attempt, if it is the last one of its worker here; else null. */
    Attempt find(TxId tx) {
        Attempt attempt = last.get(tx.worker());
        return attempt != null && attempt.id.equals(tx) ? attempt : null;
    }

    Attempt begin(TxId tx, long now) {
        Attempt attempt = new Attempt(tx, now);
        last.put(tx.worker(), attempt);
        return attempt;
    }

    /** One that will not begin here any more. */
    void abort(TxId tx, long now) {
        last.put(tx.worker(), Attempt.aborted(tx, now));
    }

    List<Attempt> open() {
        return last.values().stream().filter(attempt -> !attempt.isOver()).toList();
    }

    /** Units of a server with an update that is staged, or not yet in the parity, of attempts that began before an epoch. */
    Set<UnitId> staged(int before, Site site) {
        Set<UnitId> units = new HashSet<>();
        for (Attempt attempt : open()) {
            if (attempt.id.epoch() < before) {
                attempt.own.forEach(own -> units.add(new UnitId(own.table(), own.stripe(), own.unit())));
                attempt.parity.values().forEach(staged -> staged.differences()
                        .forEach(one -> units.add(new UnitId(one.table(), one.stripe(), site.unit(one.stripe())))));
            }
        }
        return units;
    }

    /** Whether an update of a block is staged, of an attempt that began before an epoch. */
    boolean isBlockStaged(int block, int before) {
        return open().stream()
                .filter(attempt -> attempt.id.epoch() < before && attempt.stage() != null)
                .anyMatch(attempt -> attempt.stage().blocks().stream().anyMatch(one -> one.block() == block));
    }
}
