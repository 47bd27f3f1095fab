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
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * At a replacement: makes all units, range after range of each table: locks it everywhere, has updates buffered, reads what is
 * frozen, and unlocks (thesis 5.3.4). Where another replacement has a lock, it reads without one.
 */
final class RangeRecovery {
    private enum Phase {
        LOCKING,
        READING,
        UNLOCKING,
        DONE
    }

    private final Site site;
    private final Recovery recovery;
    private final Pace pace;
    private Phase phase;
    private int table;
    private int range;
    private long lock;
    private Purpose purpose;
    private final Set<Address> awaited = new LinkedHashSet<>();
    private StripeRead read;
    private long told;

    RangeRecovery(Site site, Recovery recovery, Pace pace) {
        this.site = site;
        this.recovery = recovery;
        this.pace = pace;
        boolean some = site.isReplacement() && !site.shards.isEmpty();
        this.phase = some && !site.model.redundancy().isNone() ? Phase.LOCKING : Phase.DONE;
    }

    boolean isDone() {
        for (int number = 0; number < site.shards.size(); number++) {
            if (site.shards.get(number).missing() > site.lost.get(number).size()) {
                return false;
            }
        }
        return phase == Phase.DONE;
    }

    private long border(int number) {
        return site.shards.get(table).stripes() * number / pace.ranges();
    }

    /** Locks the range, again if the others are others now. */
    void fence() {
        if (phase != Phase.DONE) {
            phase = Phase.LOCKING;
            lock++;
            purpose = Purpose.FROZEN;
            read = null;
            tell(new LockRange(lock, table, border(range), border(range + 1)));
            proceed();
        }
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
            phase = Phase.READING;
            tell(new StepRange(lock, Step.UNLOCK));
            readNext();
        } else if (phase != Phase.LOCKING && answer.step() == step()) {
            awaited.remove(from);
        }
        proceed();
    }

    /** What the others are to do now. */
    private Step step() {
        return phase == Phase.READING && purpose == Purpose.FROZEN ? Step.BUFFER : Step.UNLOCK;
    }

    private void proceed() {
        if (phase == Phase.LOCKING && awaited.isEmpty()) {
            phase = Phase.READING;
            tell(new StepRange(lock, Step.BUFFER));
            readNext();
        }
        if (phase == Phase.UNLOCKING && awaited.isEmpty()) {
            range++;
            if (range == pace.ranges()) {
                range = 0;
                table++;
            }
            phase = table < site.shards.size() ? Phase.LOCKING : Phase.DONE;
            fence();
        }
    }

    private void readNext() {
        List<Long> next = new ArrayList<>();
        for (long stripe = border(range); stripe < border(range + 1) && next.size() < pace.batch(); stripe++) {
            if (site.unit(stripe) >= 0 && site.isMissing(table, stripe) && !site.isLost(table, stripe)) {
                next.add(stripe);
            }
        }
        if (next.isEmpty()) {
            read = null;
            phase = Phase.UNLOCKING;
            tell(new StepRange(lock, Step.UNLOCK));
            return;
        }
        read = new StripeRead(site.model, site.view(), site.self.id(), table, purpose, next, site::nextRequest);
        read.asked().forEach(site::send);
        accept();
    }

    void units(Address from, Units answer) {
        if (read != null && read.accept(from, answer)) {
            accept();
            proceed();
        }
    }

    private void accept() {
        if (read.isComplete()) {
            StripeRead complete = read;
            boolean all = true;
            for (long stripe : complete.stripes()) {
                all &= Recovery.install(site, complete, stripe);
            }
            if (all) {
                readNext();
            } else {
                // Without a lock, some were updated meanwhile.
                complete.stripes().stream()
                        .filter(stripe -> site.isMissing(table, stripe) && !site.isLost(table, stripe))
                        .forEach(stripe -> recovery.want(table, stripe));
                read = null;
            }
        }
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
