/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * An attempt to commit an iteration. A worker makes one after another.
 *
 * @param worker its id
 * @param sequence grows with each attempt of the worker
 * @param epoch in which it is staged
 */
public record TxId(int worker, long sequence, int epoch) {
    void write(WireWriter to) {
        to.int4(worker);
        to.int8(sequence);
        to.int4(epoch);
    }

    static TxId read(WireReader from) {
        return new TxId(from.int4(), from.int8(), from.int4());
    }
}
