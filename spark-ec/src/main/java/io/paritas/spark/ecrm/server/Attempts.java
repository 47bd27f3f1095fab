/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.AppliedAttempt;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * The last attempt of each worker. A worker begins an attempt only after all servers have ended the one before, so the
 * last one is enough to recognise messages that arrive late or twice. It is kept until its worker has left for some time.
 */
final class Attempts {
    /** Some stripes of tables. */
    @FunctionalInterface
    interface Stripes {
        boolean has(int table, long stripe);
    }

    private final Map<Integer, Attempt> last = new HashMap<>();
    /** Those of them without an outcome, and some that have one by now: few, while there may be many last ones. */
    private final Map<Integer, Attempt> open = new LinkedHashMap<>();
    /** When workers left that are not forgotten yet, the first one first. */
    private final Map<Integer, Long> left = new LinkedHashMap<>();

    /** Whether its worker has already begun a later attempt. */
    boolean isPast(TxId tx) {
        Attempt attempt = last.get(tx.worker());
        return attempt != null && attempt.id.sequence() > tx.sequence();
    }

    /**
     * Whether its worker gave up an earlier attempt that is not over here. Happens with one phase only, when another
     * server lost rows.
     */
    boolean isEarly(TxId tx) {
        Attempt attempt = last.get(tx.worker());
        return attempt != null && attempt.id.sequence() < tx.sequence() && !attempt.isOver();
    }

    /** Whether the attempt, or a later one of its worker, has begun here. */
    boolean hasArrived(TxId tx) {
        Attempt attempt = last.get(tx.worker());
        return attempt != null && attempt.id.sequence() >= tx.sequence();
    }

    /** Returns the last attempt of each worker that has not left, if it is committed and other servers have a part in it. */
    List<AppliedAttempt> applied() {
        return last.values().stream()
                .filter(attempt -> attempt.outcome() == AttemptOutcome.COMMITTED
                        && !left.containsKey(attempt.id.worker())
                        && attempt.servers().length > 1)
                .map(attempt -> new AppliedAttempt(attempt.id, attempt.servers()))
                .toList();
    }

    /** Returns the attempt if it is the last one of its worker, else null. */
    Attempt find(TxId tx) {
        Attempt attempt = last.get(tx.worker());
        return attempt != null && attempt.id.equals(tx) ? attempt : null;
    }

    /** Returns the attempt if it is the last one of its worker, else begins it. */
    Attempt findOrBegin(TxId tx, long now) {
        Attempt known = find(tx);
        return known == null ? begin(tx, now) : known;
    }

    Attempt begin(TxId tx, long now) {
        Attempt attempt = new Attempt(tx, now);
        put(attempt);
        open.put(tx.worker(), attempt);
        return attempt;
    }

    /** Records an attempt as aborted before anything of it has arrived. */
    void abort(TxId tx, long now) {
        put(Attempt.aborted(tx, now));
        open.remove(tx.worker());
    }

    private void put(Attempt attempt) {
        last.put(attempt.id.worker(), attempt);
        left.remove(attempt.id.worker());
    }

    /**
     * Records that a worker sends nothing more. Another one with its number may follow, and be here before.
     *
     * @param next greater than the sequence numbers of the worker's attempts, and not than those of the other one
     */
    void leave(int worker, long next, long now) {
        Attempt attempt = last.get(worker);
        if (attempt != null && attempt.id.sequence() < next) {
            left.putIfAbsent(worker, now);
        }
    }

    /** Forgets the attempts of workers that left before a time, if they are over. */
    void forgetLeftBefore(long time) {
        var each = left.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Integer, Long> worker = each.next();
            if (worker.getValue() >= time) {
                return;
            }
            if (last.get(worker.getKey()).isOver()) {
                last.remove(worker.getKey());
                each.remove();
            }
        }
    }

    /** Returns the attempts without an outcome. */
    List<Attempt> open() {
        open.values().removeIf(Attempt::isOver);
        return List.copyOf(open.values());
    }

    /** Returns the units of a server with staged updates of attempts that began before an epoch. */
    Set<UnitId> staged(int before, ServerContext context) {
        Set<UnitId> units = new HashSet<>();
        for (Attempt attempt : open()) {
            if (attempt.id.epoch() < before) {
                isStaged(attempt, context, (table, stripe) -> {
                    units.add(new UnitId(table, stripe, context.unit(stripe)));
                    return false;
                });
            }
        }
        return units;
    }

    /** Whether an update of a unit of some stripes is staged. */
    boolean isStaged(Stripes which, ServerContext context) {
        return open().stream().anyMatch(attempt -> isStaged(attempt, context, which));
    }

    private static boolean isStaged(Attempt attempt, ServerContext context, Stripes which) {
        return attempt.own.stream().anyMatch(rows -> isAmong(rows, context, which))
                || attempt.parity.values().stream().anyMatch(message -> message.differences().stream()
                        .anyMatch(rows -> isAmong(rows, context, which)));
    }

    private static boolean isAmong(RowDifferences rows, ServerContext context, Stripes which) {
        return LongStream.of(rows.rows()).anyMatch(row -> which.has(rows.table(), context.stripes.stripe(row)));
    }

    /** Whether an attempt that began before an epoch has staged an update of a block. */
    boolean isBlockStaged(int block, int before) {
        return open().stream()
                .filter(attempt -> attempt.id.epoch() < before && attempt.stage() != null)
                .anyMatch(attempt -> attempt.stage().blocks().stream().anyMatch(one -> one.block() == block));
    }
}
