/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import java.io.Serializable;

/**
 * A distribution of ranks 0, 1, …, n − 1 with a skew like Zipf's: the density x^-s on [1, n + 1), cut at whole numbers, so that
 * rank i has a share of about (i + 1)^-s. Immutable.
 *
 * @param size n, the number of ranks
 * @param exponent s, 0 for a uniform distribution; clicks have about 1
 */
record PowerLaw(long size, double exponent) implements Serializable {

    PowerLaw {
        if (size < 1 || !(exponent >= 0 && exponent < 10)) {
            throw new IllegalArgumentException(
                    "a skew must have at least 1 rank and an exponent in [0, 10), got " + size + " and " + exponent);
        }
    }

    /** The rank of a uniform number in [0, 1). */
    long rank(double uniform) {
        return Math.min(size - 1, (long) Math.floor(quantile(uniform)) - 1);
    }

    /** The probability of a lower rank. */
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
