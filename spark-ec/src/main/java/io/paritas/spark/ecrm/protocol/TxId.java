/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * The id of an attempt to commit an iteration. A worker makes one attempt after another.
 *
 * @param worker id of the worker
 * @param sequence grows with each attempt of the worker
 * @param epoch in which the attempt is staged
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
