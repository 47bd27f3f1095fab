/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.data.Inputs;
import java.io.Serializable;

/**
 * The range of the values that parity models were trained on. What is far beyond it would spoil the reconstructions of the others in its
 * group: float32 has no room for both, and parity models know nothing of it.
 *
 * @param lowest of the values
 * @param highest of the values
 */
@PublicApi
public record InputRange(float lowest, float highest) implements Serializable {
    /** All finite values: that of parity models whose descriptor has none. */
    public static final InputRange FINITE = new InputRange(-Float.MAX_VALUE, Float.MAX_VALUE);

    /** Checks that it is a range. */
    public InputRange {
        if (!(Float.isFinite(lowest) && Float.isFinite(highest) && lowest <= highest)) {
            throw new IllegalArgumentException("a range of inputs must have two finite values, the lower first, got "
                    + lowest + " and " + highest);
        }
    }

    /** The range of these inputs. */
    static InputRange of(Inputs inputs) {
        float lowest = Float.MAX_VALUE;
        float highest = -Float.MAX_VALUE;
        float[] row = new float[inputs.size()];
        for (int i = 0; i < inputs.count(); i++) {
            inputs.copy(i, row, 0);
            for (float value : row) {
                lowest = Math.min(lowest, value);
                highest = Math.max(highest, value);
            }
        }
        return new InputRange(lowest, highest);
    }

    /** Whether all values are in the range, or beyond it by its width at most; never if one is not finite. */
    public boolean holds(float[] values) {
        double width = (double) highest - lowest;
        double least = Math.max(lowest - width, -Float.MAX_VALUE);
        double most = Math.min(highest + width, Float.MAX_VALUE);
        for (float value : values) {
            if (!(value >= least && value <= most)) {
                return false;
            }
        }
        return true;
    }
}
