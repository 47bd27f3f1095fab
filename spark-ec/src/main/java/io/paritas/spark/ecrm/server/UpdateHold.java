/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import java.util.function.BooleanSupplier;

/**
 * Holds updates back while the driver writes a checkpoint: begins none, and answers the driver when none is in
 * progress.
 */
final class UpdateHold {
    private final ServerContext context;
    private final Transactions transactions;
    private final BooleanSupplier quiet;
    private long asked;
    private long answered;
    private long resumed;

    UpdateHold(ServerContext context, Transactions transactions, BooleanSupplier quiet) {
        this.context = context;
        this.transactions = transactions;
        this.quiet = quiet;
    }

    /** Begins a hold, unless the request is out of date. */
    void hold(long number) {
        if (number >= asked && number > resumed) {
            asked = number;
            answered = resumed;
            transactions.hold();
        }
    }

    /** Answers the hold when the server is quiet. */
    void proceed() {
        if (asked > resumed && answered < asked && quiet.getAsBoolean()) {
            answered = asked;
            context.send(Address.DRIVER, new Held(asked));
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
        context.send(Address.DRIVER, new Held(number));
    }

    /** Ends the hold, because the driver begins anew after a change of view. */
    void fence() {
        resumed = asked;
        transactions.resume();
    }
}
