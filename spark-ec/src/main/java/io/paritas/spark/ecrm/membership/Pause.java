/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.membership;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AppliedAttempt;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.Resume;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A pause in which no server has an update in progress, so that the state of all servers is consistent. Servers are
 * asked twice to hold updates: when all have answered the first time, updates that one has finished may still be under
 * way to another. With one phase, the second request names them.
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
    /** What servers have applied of attempts that may be under way to others, as of the first answers. */
    private final List<AppliedAttempt> applied = new ArrayList<>();

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
        applied.clear();
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
        awaited.forEach(server -> membership.send(server, request(server.id())));
    }

    private Message request(int server) {
        return switch (phase) {
            case RESUMING -> new Resume(number);
            case CONFIRMING -> new Hold(number, appliedElsewhere(server));
            default -> new Hold(number, List.of());
        };
    }

    /** Returns the attempts in which a server has a part, and which some server has applied. */
    private List<TxId> appliedElsewhere(int server) {
        return applied.stream()
                .filter(attempt -> Arrays.stream(attempt.servers()).anyMatch(one -> one == server))
                .map(AppliedAttempt::tx)
                .distinct()
                .toList();
    }

    void held(Address from, Held answer) {
        if (answer.number() != number || !awaited.remove(from)) {
            return;
        }
        if (phase == Phase.HOLDING) {
            applied.addAll(answer.applied());
        }
        if (awaited.isEmpty()) {
            if (phase == Phase.HOLDING) {
                phase = Phase.CONFIRMING;
                ask();
            } else {
                phase = phase == Phase.CONFIRMING ? Phase.ON : Phase.OFF;
            }
        }
    }
}
