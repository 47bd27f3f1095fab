/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.membership;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.Resume;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A pause in which no server has an update in progress, so that the state of all servers is consistent. Servers are
 * asked twice to hold updates: when all have answered the first time, updates that one has finished may still be under
 * way to another.
 */
final class Pause {
    private enum Phase {
        OFF,
        HOLDING,
        CONFIRMING,
        ON,
        RESUMING
    }

    private final Membership membership;
    private final Set<Address> awaited = new LinkedHashSet<>();
    private Phase phase = Phase.OFF;
    private long number;

    Pause(Membership membership) {
        this.membership = membership;
    }

    boolean isOn() {
        return phase == Phase.ON;
    }

    /** Whether no pause has been requested, or it has been ended. */
    boolean isOff() {
        return phase == Phase.OFF || phase == Phase.RESUMING;
    }

    void begin() {
        phase = Phase.HOLDING;
        ask();
    }

    void end() {
        phase = Phase.RESUMING;
        ask();
    }

    /** Forgets the pause after a change of view, as servers do. */
    void fence() {
        phase = Phase.OFF;
        awaited.clear();
    }

    private void ask() {
        number++;
        awaited.clear();
        awaited.addAll(membership.view().addresses());
        tick();
    }

    /** Asks the servers that have not answered. */
    void tick() {
        awaited.forEach(
                server -> membership.send(server, phase == Phase.RESUMING ? new Resume(number) : new Hold(number)));
    }

    void held(Address from, Held answer) {
        if (answer.number() == number && awaited.remove(from) && awaited.isEmpty()) {
            if (phase == Phase.HOLDING) {
                phase = Phase.CONFIRMING;
                ask();
            } else {
                phase = phase == Phase.CONFIRMING ? Phase.ON : Phase.OFF;
            }
        }
    }
}
