/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import java.util.Random;

/** The times at which queries are sent: a Poisson process. */
final class Arrivals {
    private Arrivals() {}

    /**
     * Returns the times of the first arrivals, in nanoseconds after the start, ascending. Another rate scales the times of the
     * same seed.
     *
     * @param rate average arrivals a second
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
