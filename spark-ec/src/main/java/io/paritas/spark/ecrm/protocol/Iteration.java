/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * An iteration that a worker has committed.
 *
 * @param number of the worker's iterations, from 0
 * @param samples of the batch
 * @param loss the mean over the samples, before they were learned from
 * @param tries how often its commit was tried
 * @param pull nanoseconds until the parameters were there
 * @param compute nanoseconds for the gradients
 * @param commit nanoseconds until all servers had committed
 * @param updated by server: rows and parities that it updated
 */
public record Iteration(
        int number, int samples, float loss, int tries, long pull, long compute, long commit, int[] updated) {
    void write(WireWriter to) {
        to.int4(number);
        to.int4(samples);
        to.int4(Float.floatToRawIntBits(loss));
        to.int4(tries);
        to.int8(pull);
        to.int8(compute);
        to.int8(commit);
        to.ints(updated);
    }

    static Iteration read(WireReader from) {
        return new Iteration(
                from.int4(),
                from.int4(),
                Float.intBitsToFloat(from.int4()),
                from.int4(),
                from.int8(),
                from.int8(),
                from.int8(),
                from.ints());
    }
}
