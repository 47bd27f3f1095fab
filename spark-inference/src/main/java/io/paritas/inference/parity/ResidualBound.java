/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.util.List;

/** Above which residual a group is suspect. Immutable. */
@PublicApi
public sealed interface ResidualBound extends Serializable {
    /** Nothing is suspect. */
    ResidualBound NONE = new Calibrated(0, List.of());

    /**
     * The largest residual of a group in which nothing is wrong.
     *
     * @param parity number of the parity model
     * @param members members of the group, 1 to k
     * @param largest magnitude of all input values of the group, if {@link #needsInputs}
     * @return infinite if nothing is known of such groups
     */
    double of(int parity, int members, double largest);

    /** Whether the bound depends on the magnitude of the inputs. */
    default boolean needsInputs() {
        return this instanceof Linear;
    }

    /** The magnitude of values: of the one that is farthest from 0. */
    static float largest(float... values) {
        float largest = 0;
        for (float value : values) {
            largest = Math.max(largest, Math.abs(value));
        }
        return largest;
    }

    /** Whether there is a bound at all. */
    default boolean isKnown() {
        return !equals(NONE);
    }

    /**
     * Of full groups, from clean data.
     *
     * @param k members of a full group
     * @param thresholds one for each parity model
     */
    record Calibrated(int k, List<Double> thresholds) implements ResidualBound {
        private static final long serialVersionUID = 1;

        /** Copies the list. */
        public Calibrated {
            thresholds = List.copyOf(thresholds);
        }

        @Override
        public double of(int parity, int members, double largest) {
            return members == k && parity < thresholds.size() ? thresholds.get(parity) : Double.POSITIVE_INFINITY;
        }
    }

    /**
     * Of linear models: {@link LinearCode#errorBound} of the k predictions and the parity's answer.
     *
     * @param code k and r
     * @param linear the model
     */
    record Linear(Combinations code, LinearCode linear) implements ResidualBound {
        private static final long serialVersionUID = 1;

        @Override
        public double of(int parity, int members, double largest) {
            return linear.residualBound(code, parity, largest);
        }
    }
}
