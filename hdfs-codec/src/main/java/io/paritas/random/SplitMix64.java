/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.random;

/**
 * SplitMix64 by position: number {@code index} of the sequence that starts with a seed is computed directly, whatever was
 * drawn before. So tasks and servers that share out a sequence in any way draw the same numbers.
 *
 * <p>The numbers are those of {@link java.util.SplittableRandom#nextLong()}, and never change: stored models and
 * checkpoints depend on them. Not for cryptography. Stateless and thread-safe.
 */
public final class SplitMix64 {
    /**
     * The distance of two consecutive states: 2<sup>64</sup> divided by the golden ratio, made odd. Because it is odd,
     * multiplication by it maps different numbers to different ones.
     */
    public static final long GAMMA = 0x9E3779B97F4A7C15L;

    private SplitMix64() {}

    /**
     * Mixes the bits of a number: each bit of the result depends on all of them. A bijection; 0 stays 0.
     *
     * @param z any number
     */
    public static long mix(long z) {
        long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }

    /**
     * Returns one number of a sequence: 64 random bits.
     *
     * @param seed the start of the sequence, such as a {@link #key}
     * @param index the position in the sequence, from 0
     */
    public static long at(long seed, long index) {
        return mix(seed + (index + 1) * GAMMA);
    }

    /**
     * Returns the seed of a sequence of its own for each list of numbers, such as (seed, purpose, row).
     *
     * @param parts what tells the sequence from others; their order counts
     */
    public static long key(long... parts) {
        long key = 0;
        for (long part : parts) {
            key = mix(key + GAMMA + part);
        }
        return key;
    }
}
