/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The residuals of a parity model on clean data, or the distances in stacks of a folded network: what is exceeded by half of the groups, by a tenth, a hundredth and so on, as far
 * as there were ten groups beyond it. Immutable.
 *
 * @param groups how many groups were measured
 * @param exceeded residuals that are exceeded by 1/2, 10⁻¹, 10⁻², … of the groups, in ascending order
 */
@PublicApi
public record ResidualDistribution(long groups, List<Double> exceeded) {
    /** Groups beyond a quantile, at least: fewer say too little of it. */
    private static final int BEYOND = 10;

    /** Groups that tell anything. */
    static final int LEAST = 2 * BEYOND;

    /** Checks the numbers, and copies the list. */
    public ResidualDistribution {
        exceeded = List.copyOf(exceeded);
        boolean ascending = true;
        for (int i = 1; i < exceeded.size(); i++) {
            ascending &= exceeded.get(i) >= exceeded.get(i - 1);
        }
        if (groups < 1 || exceeded.isEmpty() || !ascending || !(exceeded.get(0) >= 0)) {
            throw new IllegalArgumentException("residuals of 1 or more groups must be at least 0 and ascend, got "
                    + exceeded + " of " + groups + " groups");
        }
    }

    /**
     * The distribution of residuals that were measured.
     *
     * @param residuals of at least 20 groups, in any order, finite
     * @throws IllegalArgumentException if they are fewer
     */
    public static ResidualDistribution of(double[] residuals) {
        if (residuals.length < LEAST) {
            throw new IllegalArgumentException("residuals of at least " + LEAST + " groups are needed, got those of "
                    + residuals.length + ": give more examples");
        }
        double[] sorted = residuals.clone();
        Arrays.sort(sorted);
        List<Double> exceeded = new ArrayList<>();
        for (int level = 0; share(level) * sorted.length >= BEYOND; level++) {
            exceeded.add(sorted[(int) Math.ceil(sorted.length - share(level) * sorted.length) - 1]);
        }
        return new ResidualDistribution(sorted.length, exceeded);
    }

    private static double share(int level) {
        return level == 0 ? 0.5 : Math.pow(10, -level);
    }

    /**
     * The residual that a clean group exceeds with that probability. Between the quantiles it is a line over the logarithm of the
     * probability; beyond the last one, the line goes on, as for a tail that falls exponentially.
     *
     * @param rate of false alarms, above 0 and at most a half
     * @throws IllegalArgumentException if it is another one
     */
    public double threshold(double rate) {
        if (!(rate > 0 && rate <= 0.5)) {
            throw new IllegalArgumentException("the rate of false alarms must be above 0 and at most 0.5, got " + rate);
        }
        int last = exceeded.size() - 1;
        int upper = 1;
        while (upper < last && share(upper) > rate) {
            upper++;
        }
        if (last == 0) {
            return exceeded.get(0) * (1 + Math.log(share(0) / rate) / Math.log(2));
        }
        double from = exceeded.get(upper - 1);
        double steps = Math.log(share(upper - 1) / rate) / Math.log(share(upper - 1) / share(upper));
        return from + steps * (exceeded.get(upper) - from);
    }

    /** As in a descriptor: the number of groups, then the residuals. */
    public String toText() {
        return groups + " " + exceeded.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /**
     * Reads {@link #toText}.
     *
     * @throws IllegalArgumentException if it is damaged
     */
    public static ResidualDistribution parse(String text) {
        String[] words = text.split(" ", -1);
        try {
            return new ResidualDistribution(
                    Long.parseLong(words[0]),
                    Arrays.stream(words).skip(1).map(Double::valueOf).toList());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("residuals must be numbers, got '" + text + "'", e);
        }
    }
}
