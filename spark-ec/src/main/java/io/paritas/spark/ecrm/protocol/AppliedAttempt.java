/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * An attempt with one phase whose part on one server is applied; those on the others may still be under way.
 *
 * @param servers numbers of all servers that have a part in it
 */
public record AppliedAttempt(TxId tx, int[] servers) {
    void write(WireWriter to) {
        tx.write(to);
        to.ints(servers);
    }

    static AppliedAttempt read(WireReader from) {
        return new AppliedAttempt(TxId.read(from), from.ints());
    }
}
