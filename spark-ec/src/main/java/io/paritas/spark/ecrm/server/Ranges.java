/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.RangeMessage.LockRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Locked;
import io.paritas.spark.ecrm.protocol.RangeMessage.Step;
import io.paritas.spark.ecrm.protocol.RangeMessage.StepRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Stepped;
import java.util.HashMap;
import java.util.Map;

/**
 * The lock that a replacement has at this server, of a range of stripes of a table (thesis 5.3.4). First the range is closed:
 * nothing more is staged there, until nothing is. When that is so at all servers, what they have of it belongs together. It
 * stays frozen, and updates of it are buffered, until it is unlocked.
 */
final class Ranges {
    private record Lock(Address owner, LockRange range) {
        boolean has(int table, long stripe) {
            return table == range.table() && stripe >= range.from() && stripe < range.to();
        }
    }

    private final Site site;
    /** By replacement: the last lock that it gave back or was refused, which may be asked for once more, late. */
    private final Map<Address, Long> unlocked = new HashMap<>();

    private Lock lock;
    private boolean closed;
    private boolean answered;

    Ranges(Site site) {
        this.site = site;
    }

    boolean isClosed(int table, long stripe) {
        return lock != null && closed && lock.has(table, stripe);
    }

    /** Whether a replacement may read stripes as they were when it locked them. */
    boolean isFrozen(Address owner, int table, long[] stripes) {
        boolean frozen = lock != null && lock.owner().equals(owner) && answered;
        for (long stripe : stripes) {
            frozen &= frozen && lock.has(table, stripe);
        }
        return frozen;
    }

    void lock(Address owner, LockRange range, Transactions transactions) {
        boolean over = unlocked.getOrDefault(owner, -1L) >= range.lock();
        if (over || (lock != null && !lock.owner().equals(owner))) {
            // The owner takes this for the end of the lock: it must not be taken later, when the question comes once
            // more.
            unlocked.merge(owner, range.lock(), Math::max);
            site.send(owner, new Stepped(range.lock(), Step.UNLOCK));
            return;
        }
        if (lock == null || lock.range().lock() < range.lock()) {
            unlock();
            lock = new Lock(owner, range);
            closed = true;
        } else if (lock.range().lock() == range.lock()) {
            answered = false;
        }
        proceed(transactions);
    }

    /** Answers when nothing is staged in the range. */
    void proceed(Transactions transactions) {
        if (lock == null || answered) {
            return;
        }
        boolean quiet = !closed
                || transactions.staged(Integer.MAX_VALUE).stream()
                        .noneMatch(unit -> lock.has(unit.table(), unit.stripe()));
        if (quiet) {
            answered = true;
            site.send(lock.owner(), new Locked(lock.range().lock()));
        }
    }

    void step(Address owner, StepRange message) {
        boolean has = lock != null && lock.owner().equals(owner) && lock.range().lock() == message.lock();
        if (message.step() == Step.UNLOCK) {
            unlocked.merge(owner, message.lock(), Math::max);
        }
        if (has && message.step() == Step.UNLOCK) {
            unlock();
        } else if (has && closed) {
            closed = false;
            site.shards
                    .get(lock.range().table())
                    .freeze(lock.range().from(), lock.range().to());
        }
        site.send(owner, new Stepped(message.lock(), has ? message.step() : Step.UNLOCK));
    }

    /** A replacement that is gone has no lock. */
    void fence() {
        if (lock != null && !site.view().has(lock.owner())) {
            unlock();
        }
        unlocked.keySet().removeIf(owner -> !site.view().has(owner));
    }

    private void unlock() {
        if (lock != null) {
            site.shards.get(lock.range().table()).thaw();
        }
        lock = null;
        closed = false;
        answered = false;
    }

    boolean isQuiet() {
        return lock == null;
    }
}
