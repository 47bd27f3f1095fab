/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * A report of an iteration that a worker has committed.
 *
 * @param number position among the worker's iterations, from 0
 * @param samples size of the batch
 * @param loss mean loss of the batch before its update
 * @param tries attempts to commit it
 * @param pull nanoseconds to pull the parameters
 * @param compute nanoseconds to compute the gradients
 * @param commit nanoseconds to commit the updates
 * @param updated rows and parities that each server updated, by server
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
