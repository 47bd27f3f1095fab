/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.random.SplitMix64;
import java.util.Random;

/** Random generators that repeat on every JDK: their algorithm is specified, unlike that of {@link java.util.SplittableRandom}. */
final class Seeds {
    private Seeds() {}

    /**
     * A generator of its own for each sequence of numbers, such as (seed, epoch, index). The seed is mixed because Random gives
     * neighbouring seeds neighbouring first values.
     */
    static Random random(long... parts) {
        return new Random(SplitMix64.key(parts));
    }

    static double uniform(double from, double to, Random random) {
        return from + (to - from) * random.nextDouble();
    }
}
