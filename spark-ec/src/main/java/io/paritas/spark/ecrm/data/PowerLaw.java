/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.data;

import java.io.Serializable;

/**
 * Ranks 0, 1, … with a skew like Zipf's: the density x^-s on [1, n + 1), cut at whole numbers, so that rank i has a share of
 * about (i + 1)^-s. Immutable.
 *
 * @param size n, how many ranks there are
 * @param exponent s, 0 for none; what people click has about 1
 */
record PowerLaw(long size, double exponent) implements Serializable {

    PowerLaw {
        if (size < 1 || !(exponent >= 0 && exponent < 10)) {
            throw new IllegalArgumentException("A skew has at least one rank and an exponent from 0 to below 10; got "
                    + size + " and " + exponent);
        }
    }

    /** The rank for a number that is uniform in [0, 1). */
    long rank(double uniform) {
        return Math.min(size - 1, (long) Math.floor(quantile(uniform)) - 1);
    }

    /** How likely a rank below that one is. */
    double below(long rank) {
        return integral(rank + 1.0) / integral(size + 1.0);
    }

    /** ∫ x^-s from 1. */
    private double integral(double to) {
        return exponent == 1 ? StrictMath.log(to) : (StrictMath.pow(to, 1 - exponent) - 1) / (1 - exponent);
    }

    private double quantile(double uniform) {
        double area = uniform * integral(size + 1.0);
        return exponent == 1 ? StrictMath.exp(area) : StrictMath.pow(1 + area * (1 - exponent), 1 / (1 - exponent));
    }
}
