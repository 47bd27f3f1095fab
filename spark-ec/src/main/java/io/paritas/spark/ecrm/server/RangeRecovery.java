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
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Background recovery of a replacement, range by range of each table (thesis, 5.3.4): locks the range on all servers,
 * has them buffer updates, reads the frozen units, and unlocks. While another replacement holds a lock, it reads
 * without one. Between ranges it rests as {@link RecoveryPace} says.
 */
final class RangeRecovery {
    private enum Phase {
        LOCKING,
        READING,
        UNLOCKING,
        RESTING,
        DONE
    }

    private final ServerContext context;
    private final OnDemandRecovery recovery;
    private final RecoveryPace pace;
    /** Number of ranges, by table. */
    private final int[] ranges;

    private final long units;

    private Phase phase;
    private int table;
    private int range;
    private long lock;
    private Purpose purpose;
    private final Set<Address> awaited = new LinkedHashSet<>();
    private StripeRead read;
    /** The first stripe of the range that is not read yet. */
    private long cursor;
    /** When requests were last repeated. */
    private long repeated;
    /** When the range was locked everywhere. */
    private long lockedAt;
    /** When the rest ends. */
    private long restedAt;

    RangeRecovery(ServerContext context, OnDemandRecovery recovery, RecoveryPace pace) {
        this.context = context;
        this.recovery = recovery;
        this.pace = pace;
        this.ranges = context.shards.stream()
                .mapToInt(shard -> pace.ranges(shard.missing()))
                .toArray();
        this.units = context.shards.stream().mapToLong(Shard::missing).sum();
        boolean some = context.isReplacement() && !context.shards.isEmpty();
        this.phase = some && !context.model.redundancy().isNone() ? Phase.LOCKING : Phase.DONE;
    }

    boolean isDone() {
        return phase == Phase.DONE && left() == 0;
    }

    /** Returns the number of units that are missing and not lost. */
    long left() {
        long left = 0;
        for (int number = 0; number < context.shards.size(); number++) {
            left += Math.max(
                    0,
                    context.shards.get(number).missing()
                            - context.lost.get(number).count());
        }
        return left;
    }

    /** Returns the number of units that were missing at first. */
    long units() {
        return units;
    }

    /** The first stripe of a range. */
    private long border(int number) {
        return context.shards.get(table).stripes() * number / ranges[table];
    }

    /** After a change of view: locks the current range again. A rest continues. */
    void fence() {
        if (phase != Phase.DONE && phase != Phase.RESTING) {
            lock();
            proceed();
        }
    }

    private void lock() {
        phase = Phase.LOCKING;
        lock++;
        cursor = border(range);
        purpose = Purpose.FROZEN;
        read = null;
        tell(new LockRange(lock, table, border(range), border(range + 1)));
    }

    private void tell(Message message) {
        awaited.clear();
        awaited.addAll(context.view().addresses());
        awaited.remove(context.self);
        awaited.forEach(other -> context.send(other, message));
    }

    void locked(Address from, long which) {
        if (phase == Phase.LOCKING && which == lock) {
            awaited.remove(from);
            proceed();
        }
    }

    /** Takes the answer to a step, or the refusal of a lock. */
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

    /** The step that the other servers should take now. */
    private Step step() {
        return phase == Phase.READING && purpose == Purpose.FROZEN ? Step.BUFFER : Step.UNLOCK;
    }

    private void read(Step step) {
        phase = Phase.READING;
        lockedAt = context.now();
        tell(new StepRange(lock, step));
        readNext();
    }

    /** Takes the next step when all awaited answers are there, or the rest is over. */
    void proceed() {
        Phase before;
        do {
            before = phase;
            if (phase == Phase.LOCKING && awaited.isEmpty()) {
                read(Step.BUFFER);
            } else if (phase == Phase.UNLOCKING && awaited.isEmpty()) {
                leave();
            } else if (phase == Phase.RESTING && context.now() >= restedAt) {
                lock();
            }
        } while (phase != before);
    }

    /** Leaves a range that is recovered. */
    private void leave() {
        range++;
        if (range == ranges[table]) {
            range = 0;
            table++;
        }
        restedAt = context.now() + pace.rest(context.now() - lockedAt);
        phase = table < context.shards.size() ? Phase.RESTING : Phase.DONE;
    }

    /** Reads batch after batch, until one needs answers of other servers or the range is complete. */
    private void readNext() {
        long[] next = next();
        while (next.length > 0) {
            read = new StripeRead(
                    context.model, context.view(), context.self.id(), table, purpose, next, context::nextRequest);
            read.asked().forEach(context::send);
            if (!install()) {
                return;
            }
            next = next();
        }
        read = null;
        phase = Phase.UNLOCKING;
        tell(new StepRange(lock, Step.UNLOCK));
    }

    /** Returns the next batch of stripes to recover. */
    private long[] next() {
        long end = border(range + 1);
        int most = Math.min(pace.batch(), StripeRead.most(context.model, table));
        long[] next = new long[(int) Math.min(most, end - cursor)];
        int count = 0;
        for (; cursor < end && count < next.length; cursor++) {
            if (isToRecover(cursor)) {
                next[count++] = cursor;
            }
        }
        return Arrays.copyOf(next, count);
    }

    private boolean isToRecover(long stripe) {
        return context.unit(stripe) >= 0 && context.isMissing(table, stripe) && !context.isLost(table, stripe);
    }

    void units(Address from, Units answer) {
        if (read != null && read.accept(from, answer)) {
            if (install()) {
                readNext();
            }
            proceed();
        }
    }

    /** Stores a batch that was read, but for stripes to be read again; returns false if answers are missing. */
    private boolean install() {
        if (!read.isComplete()) {
            return false;
        }
        long[] stripes = read.stripes();
        for (int place = 0; place < stripes.length; place++) {
            if (!OnDemandRecovery.install(context, read, place, stripes[place])) {
                // Some units were updated between reads, because there is no lock, or with one phase before all servers
                // had frozen them.
                recovery.want(table, stripes[place]);
            }
        }
        return true;
    }

    void tick() {
        if (phase == Phase.DONE || context.now() - repeated < context.timing.retry()) {
            return;
        }
        repeated = context.now();
        Message question = phase == Phase.LOCKING
                ? new LockRange(lock, table, border(range), border(range + 1))
                : new StepRange(lock, step());
        awaited.forEach(other -> context.send(other, question));
        if (read != null) {
            read.asked().forEach(context::send);
        }
        proceed();
    }
}
