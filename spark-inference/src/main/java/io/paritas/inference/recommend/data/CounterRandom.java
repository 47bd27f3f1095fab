/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import io.paritas.random.SplitMix64;

/**
 * Uniform and normal random numbers by position: number {@code index} of the stream {@code key}, a {@link SplitMix64#key}, is
 * computed directly, so that tasks draw the same numbers however they share a stream. The numbers are the same on every machine
 * and JVM, and never change.
 */
final class CounterRandom {
    private CounterRandom() {}

    /** Uniform in [0, 1), a multiple of 2^-53. */
    static double uniform(long key, long index) {
        return (SplitMix64.at(key, index) >>> 11) * 0x1p-53;
    }

    /** Standard normal. */
    static double normal(long key, long index) {
        /* Box and Muller; StrictMath, because Math may differ in the last bit between processors. */
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - uniform(key, 2 * index)));
        return radius * StrictMath.cos(2 * Math.PI * uniform(key, 2 * index + 1));
    }
}
