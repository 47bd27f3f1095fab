/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What follows from measurements for other sizes of tables: the share of its throughput that a training loses to redundancy and failures,
 * and to checkpoints and failures. Waits grow with the size as those that were measured, along the straight line with the least
 * squares; the time between checkpoints is that which loses least (Young, "A first order approximation to the optimum checkpoint
 * interval", 1974).
 *
 * @param every seconds between checkpoints when a server was killed: half of it was trained again, and is in what was measured
 */
record Crossover(List<Measured> measured, double every) {

    Crossover {
        measured = List.copyOf(measured);
    }

    /**
     * What was measured with one size; times in seconds.
     *
     * @param gigabytes of rows and their state in a server, without parity
     * @param plain of a training without redundancy
     * @param coded of the same with it
     * @param pause for one checkpoint
     * @param codedFailure what a training takes longer if a server is killed
     * @param restoredFailure the same with checkpoints
     */
    record Measured(
            double gigabytes, double plain, double coded, double pause, double codedFailure, double restoredFailure) {
        /** The share of its throughput that redundancy costs. */
        double overhead() {
            return 1 - plain / coded;
        }
    }

    /** @param between seconds between two failures of any server */
    double lostToRedundancy(double gigabytes, double between) {
        double overhead =
                Median.of(measured.stream().mapToDouble(Measured::overhead).toArray());
        return Math.min(1, overhead + at(gigabytes, Measured::codedFailure) / between);
    }

    /** @param between seconds between two failures of any server */
    double lostToCheckpoints(double gigabytes, double between) {
        double pause = at(gigabytes, Measured::pause);
        double restart = Math.max(0, at(gigabytes, Measured::restoredFailure) - every / 2);
        return Math.min(1, Math.sqrt(2 * pause / between) + restart / between);
    }

    private double at(double gigabytes, ToDoubleFunction<Measured> value) {
        double meanSize =
                measured.stream().mapToDouble(Measured::gigabytes).average().orElseThrow();
        double mean = measured.stream().mapToDouble(value).average().orElseThrow();
        double products = 0;
        double squares = 0;
        for (Measured one : measured) {
            products += (one.gigabytes() - meanSize) * (value.applyAsDouble(one) - mean);
            squares += (one.gigabytes() - meanSize) * (one.gigabytes() - meanSize);
        }
        double slope = squares == 0 ? 0 : Math.max(0, products / squares);
        return Math.max(0, mean + slope * (gigabytes - meanSize));
    }
}
