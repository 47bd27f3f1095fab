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
 * Grants replacements a lock of a range of stripes, one at a time (thesis, 5.3.4). First the range is closed: nothing
 * more is staged in it, and the lock is answered when nothing is staged. Once all servers have answered, their units
 * are consistent. Then the range is frozen, and updates of it are buffered until the replacement unlocks it.
 */
final class RangeLocks {
    private record Lock(Address owner, LockRange range) {
        boolean has(int table, long stripe) {
            return table == range.table() && stripe >= range.from() && stripe < range.to();
        }
    }

    private final ServerContext context;
    /** By replacement: its last lock that was released or refused, to recognise late repetitions of the request. */
    private final Map<Address, Long> unlocked = new HashMap<>();

    private Lock lock;
    private boolean closed;
    private boolean answered;
    /** The changes of the server when a closed range was last found to have staged updates. */
    private long checked;

    RangeLocks(ServerContext context) {
        this.context = context;
    }

    /** Whether no update of a stripe may be staged. */
    boolean isClosed(int table, long stripe) {
        return lock != null && closed && lock.has(table, stripe);
    }

    /** Whether updates of all stripes may be staged. */
    boolean isOpen() {
        return lock == null || !closed;
    }

    /** Whether a replacement may read the frozen units of these stripes. */
    boolean isFrozen(Address owner, int table, long[] stripes) {
        boolean frozen = lock != null && lock.owner().equals(owner) && answered;
        for (long stripe : stripes) {
            frozen &= frozen && lock.has(table, stripe);
        }
        return frozen;
    }

    /** Locks a range, or refuses if another replacement holds a lock. */
    void lock(Address owner, LockRange range, Transactions transactions) {
        boolean over = unlocked.getOrDefault(owner, -1L) >= range.lock();
        if (over || (lock != null && !lock.owner().equals(owner))) {
            // The replacement takes this as a refusal: a late repetition of the request must not take the lock.
            unlocked.merge(owner, range.lock(), Math::max);
            context.send(owner, new Stepped(range.lock(), Step.UNLOCK));
            return;
        }
        if (lock == null || lock.range().lock() < range.lock()) {
            unlock();
            lock = new Lock(owner, range);
            closed = true;
            context.changed();
        } else if (lock.range().lock() == range.lock()) {
            answered = false;
            checked = 0;
        }
        proceed(transactions);
    }

    /** Answers the lock when nothing is staged in the range. */
    void proceed(Transactions transactions) {
        if (lock == null || answered) {
            return;
        }
        if (closed && checked == context.changes()) {
            return;
        }
        checked = context.changes();
        if (!closed || !transactions.isStaged(lock::has)) {
            answered = true;
            context.send(lock.owner(), new Locked(lock.range().lock()));
        }
    }

    /** Takes the next step of a lock: buffers updates, or unlocks. */
    void step(Address owner, StepRange message) {
        boolean its = lock != null && lock.owner().equals(owner);
        boolean has = its && lock.range().lock() == message.lock();
        if (message.step() == Step.UNLOCK) {
            unlocked.merge(owner, message.lock(), Math::max);
            // An earlier lock ends, too: the request of this one may not have arrived, as another server refused it.
            if (its && lock.range().lock() <= message.lock()) {
                unlock();
            }
        } else if (has && closed) {
            closed = false;
            context.changed();
            context.shards
                    .get(lock.range().table())
                    .freeze(lock.range().from(), lock.range().to());
        }
        context.send(owner, new Stepped(message.lock(), has ? message.step() : Step.UNLOCK));
    }

    /** After a change of view: releases the lock of a failed replacement. */
    void fence() {
        if (lock != null && !context.view().has(lock.owner())) {
            unlock();
        }
        unlocked.keySet().removeIf(owner -> !context.view().has(owner));
    }

    private void unlock() {
        if (lock != null) {
            context.shards.get(lock.range().table()).thaw();
            context.changed();
        }
        lock = null;
        closed = false;
        answered = false;
    }

    boolean isQuiet() {
        return lock == null;
    }
}
