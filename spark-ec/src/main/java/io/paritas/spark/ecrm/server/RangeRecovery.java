/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.RangeMessage.LockRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Step;
import io.paritas.spark.ecrm.protocol.RangeMessage.StepRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Stepped;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.read.StripeRead;
import io.paritas.spark.ecrm.table.Shard;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * At a replacement: makes all units, range after range of each table: locks it everywhere, has updates buffered, reads what is
 * frozen, and unlocks (thesis 5.3.4). Where another replacement has a lock, it reads without one. Between ranges it rests, as its
 * {@link Pace} says: then nothing is locked, and nothing is buffered for it.
 */
final class RangeRecovery {
    private enum Phase {
        LOCKING,
        READING,
        UNLOCKING,
        RESTING,
        DONE
    }

    private final Site site;
    private final Recovery recovery;
    private final Pace pace;
    /** By table. */
    private final int[] ranges;

    private final long units;

    private Phase phase;
    private int table;
    private int range;
    private long lock;
    private Purpose purpose;
    private final Set<Address> awaited = new LinkedHashSet<>();
    private StripeRead read;
    private long told;
    /** When it had the lock. */
    private long since;
    /** When it locks the next range. */
    private long rested;

    RangeRecovery(Site site, Recovery recovery, Pace pace) {
        this.site = site;
        this.recovery = recovery;
        this.pace = pace;
        this.ranges = site.shards.stream()
                .mapToInt(shard -> pace.ranges(shard.missing()))
                .toArray();
        this.units = site.shards.stream().mapToLong(Shard::missing).sum();
        boolean some = site.isReplacement() && !site.shards.isEmpty();
        this.phase = some && !site.model.redundancy().isNone() ? Phase.LOCKING : Phase.DONE;
    }

    boolean isDone() {
        return phase == Phase.DONE && left() == 0;
    }

    /** Units that are missing, but for those that are lost. */
    long left() {
        long left = 0;
        for (int number = 0; number < site.shards.size(); number++) {
            left += Math.max(
                    0, site.shards.get(number).missing() - site.lost.get(number).size());
        }
        return left;
    }

    /** Units that were missing at first. */
    long units() {
        return units;
    }

    private long border(int number) {
        return site.shards.get(table).stripes() * number / ranges[table];
    }

    /** Locks the range again, if the others are others now; while it rests, it goes on doing so. */
    void fence() {
        if (phase != Phase.DONE && phase != Phase.RESTING) {
            lock();
            proceed();
        }
    }

    private void lock() {
        phase = Phase.LOCKING;
        lock++;
        purpose = Purpose.FROZEN;
        read = null;
        tell(new LockRange(lock, table, border(range), border(range + 1)));
    }

    private void tell(Message message) {
        awaited.clear();
        awaited.addAll(site.view().addresses());
        awaited.remove(site.self);
        awaited.forEach(other -> site.send(other, message));
    }

    void locked(Address from, long which) {
        if (phase == Phase.LOCKING && which == lock) {
            awaited.remove(from);
            proceed();
        }
    }

    void stepped(Address from, Stepped answer) {
        if (answer.lock() != lock) {
            return;
        }
        if (answer.step() == Step.UNLOCK && phase == Phase.LOCKING) {
            purpose = Purpose.RECOVERY;
            read(Step.UNLOCK);
        } else if (phase != Phase.LOCKING && answer.step() == step()) {
            awaited.remove(from);
        }
        proceed();
    }

    /** What the others are to do now. */
    private Step step() {
        return phase == Phase.READING && purpose == Purpose.FROZEN ? Step.BUFFER : Step.UNLOCK;
    }

    private void read(Step step) {
        phase = Phase.READING;
        since = site.now();
        tell(new StepRange(lock, step));
        readNext();
    }

    /** To be called whenever something has happened, or time has passed. */
    void proceed() {
        Phase before;
        do {
            before = phase;
            if (phase == Phase.LOCKING && awaited.isEmpty()) {
                read(Step.BUFFER);
            } else if (phase == Phase.UNLOCKING && awaited.isEmpty()) {
                leave();
            } else if (phase == Phase.RESTING && site.now() >= rested) {
                lock();
            }
        } while (phase != before);
    }

    private void leave() {
        range++;
        if (range == ranges[table]) {
            range = 0;
            table++;
        }
        rested = site.now() + pace.rest(site.now() - since);
        phase = table < site.shards.size() ? Phase.RESTING : Phase.DONE;
    }

    /** Reads what is next, until an answer is to be waited for, or all of the range is here. */
    private void readNext() {
        List<Long> next = next();
        while (!next.isEmpty()) {
            read = new StripeRead(site.model, site.view(), site.self.id(), table, purpose, next, site::nextRequest);
            read.asked().forEach(site::send);
            if (!install()) {
                return;
            }
            next = next();
        }
        read = null;
        phase = Phase.UNLOCKING;
        tell(new StepRange(lock, Step.UNLOCK));
    }

    private List<Long> next() {
        List<Long> next = new ArrayList<>();
        for (long stripe = border(range); stripe < border(range + 1) && next.size() < pace.batch(); stripe++) {
            if (site.unit(stripe) >= 0 && site.isMissing(table, stripe) && !site.isLost(table, stripe)) {
                next.add(stripe);
            }
        }
        return next;
    }

    void units(Address from, Units answer) {
        if (read != null && read.accept(from, answer)) {
            if (install()) {
                readNext();
            }
            proceed();
        }
    }

    /** Keeps what was read; false if there is more to wait for. */
    private boolean install() {
        if (!read.isComplete()) {
            return false;
        }
        boolean all = true;
        for (long stripe : read.stripes()) {
            all &= Recovery.install(site, read, stripe);
        }
        if (!all) {
            // Without a lock, some were updated meanwhile.
            read.stripes().stream()
                    .filter(stripe -> site.isMissing(table, stripe) && !site.isLost(table, stripe))
                    .forEach(stripe -> recovery.want(table, stripe));
            read = null;
        }
        return all;
    }

    void tick() {
        if (phase == Phase.DONE || site.now() - told < site.timing.retry()) {
            return;
        }
        told = site.now();
        Message question = phase == Phase.LOCKING
                ? new LockRange(lock, table, border(range), border(range + 1))
                : new StepRange(lock, step());
        awaited.forEach(other -> site.send(other, question));
        if (read != null) {
            read.asked().forEach(site::send);
        } else if (phase == Phase.READING) {
            readNext();
        }
        proceed();
    }
}
