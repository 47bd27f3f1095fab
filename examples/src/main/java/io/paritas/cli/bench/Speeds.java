/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The speeds of a race.
 *
 * @param coders their names
 * @param rounds GB/s (10⁹) of data, of each coder in each round
 */
record Speeds(List<String> coders, double[][] rounds) {
    private static final double MEDIAN = 0.5;

    /** The median speed of a coder. */
    double gigabytesPerSecond(String coder) {
        return quantile(coder, MEDIAN);
    }

    /** The median speed of a coder, or null if it was not measured. */
    Double orNull(String coder) {
        return coders.contains(coder) ? gigabytesPerSecond(coder) : null;
    }

    /** A quantile of the speeds of a coder. */
    double quantile(String coder, double share) {
        int index = coders.indexOf(coder);
        return quantile(round -> round[index], share);
    }

    /** The median of the ratios of two coders in the same round; empty without the other one. */
    Optional<Double> ratio(String coder, String base) {
        int index = coders.indexOf(coder);
        int baseIndex = coders.indexOf(base);
        return baseIndex < 0
                ? Optional.empty()
                : Optional.of(quantile(round -> round[index] / round[baseIndex], MEDIAN));
    }

    private double quantile(ToDoubleFunction<double[]> value, double share) {
        double[] sorted = Arrays.stream(rounds).mapToDouble(value).sorted().toArray();
        return sorted[(int) (share * sorted.length)];
    }
}
