/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settle;
import java.util.HashSet;
import java.util.Set;

/**
 * Waits until each server has ended the iterations of other workers that it had begun: what is read then has all of their updates, or
 * none; with one phase it may have a part of them. Replacements of servers have begun none of them. Made by a {@link Worker}; not thread-safe.
 */
public final class Settlement {
    private final WorkerContext context;
    private final Settle question;
    private final Set<Address> settled = new HashSet<>();
    private boolean done;
    private RuntimeException failure;
    /** When servers were last asked. */
    private long asked;

    Settlement(WorkerContext context) {
        this.context = context;
        this.question = new Settle(context.nextNumber());
        ask();
    }

    /** Asks those that have not answered; done if there are none. */
    void ask() {
        asked = context.now();
        context.view().addresses().stream()
                .filter(server -> !settled.contains(server))
                .forEach(server -> context.send(server, question));
        proceed();
    }

    void settled(Address server, long request) {
        if (request == question.request()) {
            settled.add(server);
            proceed();
        }
    }

    private void proceed() {
        done |= settled.containsAll(context.view().addresses());
    }

    void tick() {
        if (!isDone() && context.now() - asked >= context.timing.retry()) {
            ask();
        }
    }

    void fail(RuntimeException why) {
        failure = why;
        done = true;
    }

    /** Whether all servers that are up have answered, or it has failed. */
    public boolean isDone() {
        return done;
    }

    /**
     * Returns normally if all servers have answered.
     *
     * @throws RolledBackException if the servers went back to a checkpoint meanwhile
     */
    public void check() {
        if (failure != null) {
            throw failure;
        }
    }
}
