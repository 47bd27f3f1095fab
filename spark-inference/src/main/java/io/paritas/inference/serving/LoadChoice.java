/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.OptionalLong;

/**
 * What is best for a query at the load that there is: the rate of the last queries, times what an instance takes for one, divided by the
 * number of instances. Copies are not counted, so a choice does not change the load that it follows. The bounds are those at which the
 * tail of the one policy crosses that of the other ({@code docs/performance/spark-inference.md}). Not thread-safe.
 */
final class LoadChoice {
    /** Up to this load a second copy costs nobody anything. */
    static final double LOW = 0.08;

    /** From this load on each copy makes others wait for longer than it saves. */
    static final double HIGH = 0.5;

    private static final int KEPT = 256;

    private final long[] arrivals = new long[KEPT];
    private int count;

    /** What is done with a query. */
    enum Choice {
        REPLICATE,
        HEDGE,
        NEITHER
    }

    /**
     * The choice for a query that arrives now. To begin with, queries are hedged.
     *
     * @param usual nanoseconds that an instance takes for a query; empty while that is not known
     * @param instances that answer
     */
    Choice next(long now, OptionalLong usual, int instances) {
        int place = count % KEPT;
        long oldest = arrivals[place];
        arrivals[place] = now;
        count = count == 2 * KEPT - 1 ? KEPT : count + 1;
        if (count <= KEPT || usual.isEmpty() || instances == 0) {
            return Choice.HEDGE;
        }
        double load = (double) KEPT * usual.getAsLong() / Math.max(1, now - oldest) / instances;
        return load <= LOW ? Choice.REPLICATE : load < HIGH ? Choice.HEDGE : Choice.NEITHER;
    }
}
