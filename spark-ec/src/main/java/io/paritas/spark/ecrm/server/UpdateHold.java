/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Holds updates back while the driver writes a checkpoint: begins none, and answers the driver when none is in
 * progress. With one phase, begins those that another server has applied, and waits for them as long as a worker may
 * take to finish an attempt: what comes no more was sent by a worker that is dead.
 */
final class UpdateHold {
    private final ServerContext context;
    private final Transactions transactions;
    private final BooleanSupplier quiet;
    private long asked;
    private long answered;
    private long resumed;
    private long since;

    UpdateHold(ServerContext context, Transactions transactions, BooleanSupplier quiet) {
        this.context = context;
        this.transactions = transactions;
        this.quiet = quiet;
    }

    /** Begins a hold, unless the request is out of date. */
    void hold(Hold request) {
        long number = request.number();
        if (number > Math.max(asked, resumed)) {
            asked = number;
            since = context.now();
            transactions.hold(request.exempt());
        }
        if (number == asked && number > resumed) {
            answered = resumed;
        }
    }

    /** Answers the hold when the server is quiet. */
    void proceed() {
        if (asked > resumed && answered < asked && quiet.getAsBoolean()) {
            if (context.now() - since >= context.timing.lease()) {
                transactions.giveUpExempt();
            }
            if (!transactions.hasExempt()) {
                answered = asked;
                context.send(Address.DRIVER, new Held(asked, transactions.applied()));
            }
        }
    }

    /** Whether the server has answered the hold, which lasts. */
    boolean isQuiet() {
        return asked > resumed && answered == asked;
    }

    /** Ends the hold, unless the request is out of date; answers in any case. */
    void resume(long number) {
        if (number > asked) {
            resumed = number;
            transactions.resume();
        }
        context.send(Address.DRIVER, new Held(number, List.of()));
    }

    /** Ends the hold, because the driver begins anew after a change of view. */
    void fence() {
        resumed = asked;
        transactions.resume();
    }
}
