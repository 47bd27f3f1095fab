/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.Random;

/** Generators for what must repeat: their algorithms are specified, unlike those of {@link java.util.SplittableRandom}. */
final class Seeds {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Seeds() {}

    /** A generator of its own for each sequence of numbers, such as (seed, epoch, index). */
    static Random random(long... parts) {
        long state = 0;
        for (long part : parts) {
            state = mix(state + GOLDEN + part);
        }
        return new Random(state);
    }

    /* The finaliser of SplitMix64 [1]: Random itself answers neighbouring seeds with neighbouring first values.
    [1] Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014 */
    private static long mix(long z) {
        long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }
}
