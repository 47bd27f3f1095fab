/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.load;

import java.util.Random;

/** When queries are sent: a Poisson process. */
final class Arrivals {
    private Arrivals() {}

    /**
     * The times of the first so many arrivals, in nanoseconds after the start, ascending. Arrivals of one seed at another rate
     * are the same ones, faster or slower.
     *
     * @param rate arrivals for each second, on average
     */
    static long[] times(double rate, int count, long seed) {
        Random random = new Random(seed);
        long[] times = new long[count];
        double seconds = 0;
        for (int i = 0; i < count; i++) {
            seconds -= Math.log1p(-random.nextDouble()) / rate;
            times[i] = Math.round(seconds * 1e9);
        }
        return times;
    }
}
