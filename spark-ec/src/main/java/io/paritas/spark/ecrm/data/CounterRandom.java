/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.data;

/**
 * Random numbers by position: number {@code index} of the stream {@code key} is computed directly, whatever was drawn before,
 * so that servers and tasks that share out a stream between them in any way draw the same numbers. They are the same on every
 * machine and JVM, and stay so.
 *
 * <p>They are those of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014)
 * that starts with the key.
 */
public final class CounterRandom {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private CounterRandom() {}

    /** A stream of its own for each sequence of numbers, such as (seed, purpose, row). */
    public static long key(long... parts) {
        long key = 0;
        for (long part : parts) {
            key = mix(key + GOLDEN + part);
        }
        return key;
    }

    /** 64 random bits. */
    public static long bits(long key, long index) {
        return mix(key + (index + 1) * GOLDEN);
    }

    /** Uniform in [0, 1), a multiple of 2^-53. */
    public static double uniform(long key, long index) {
        return (bits(key, index) >>> 11) * 0x1p-53;
    }

    /** Standard normal. */
    public static double normal(long key, long index) {
        /* Box and Muller; StrictMath, because Math may differ in the last bit between processors. */
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - uniform(key, 2 * index)));
        return radius * StrictMath.cos(2 * Math.PI * uniform(key, 2 * index + 1));
    }

    private static long mix(long z) {
        long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }
}
