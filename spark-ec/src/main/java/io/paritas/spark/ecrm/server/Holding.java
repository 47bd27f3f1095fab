/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import java.util.function.BooleanSupplier;

/** While the driver writes a checkpoint, this server begins no updates; it says so when none is on its way. */
final class Holding {
    private final Site site;
    private final Transactions transactions;
    private final BooleanSupplier quiet;
    private long asked;
    private long answered;
    private long resumed;

    Holding(Site site, Transactions transactions, BooleanSupplier quiet) {
        this.site = site;
        this.transactions = transactions;
        this.quiet = quiet;
    }

    void hold(long number) {
        if (number >= asked && number > resumed) {
            asked = number;
            answered = resumed;
            transactions.hold();
        }
    }

    void proceed() {
        if (asked > resumed && answered < asked && quiet.getAsBoolean()) {
            answered = asked;
            site.send(Address.DRIVER, new Held(asked));
        }
    }

    boolean isQuiet() {
        return asked > resumed && answered == asked;
    }

    void resume(long number) {
        if (number > asked) {
            resumed = number;
            transactions.resume();
        }
        site.send(Address.DRIVER, new Held(number));
    }

    /** There are other servers: what the driver does then, it does anew. */
    void fence() {
        resumed = asked;
        transactions.resume();
    }
}
