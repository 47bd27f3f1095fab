/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.ModelException;
import io.paritas.inference.data.Inputs;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The range of the values that a code was trained on. What is far beyond it would spoil the reconstructions of the others in its
 * group: float32 has no room for both, and trained models know nothing of it.
 *
 * @param lowest of the values
 * @param highest of the values
 */
@PublicApi
public record InputRange(float lowest, float highest) implements Serializable {
    /** All finite values: that of codes whose descriptor has none. */
    public static final InputRange FINITE = new InputRange(-Float.MAX_VALUE, Float.MAX_VALUE);

    private static final long serialVersionUID = 1;
    private static final String LOWEST = "lowestInput";
    private static final String HIGHEST = "highestInput";

    /** Checks that it is a range. */
    public InputRange {
        if (!(Float.isFinite(lowest) && Float.isFinite(highest) && lowest <= highest)) {
            throw new IllegalArgumentException("a range of inputs must have two finite values, the lower first, got "
                    + lowest + " and " + highest);
        }
    }

    /**
     * The range in a bundle's settings.
     *
     * @return all finite values if it has none
     * @throws ModelException if it is damaged
     */
    static InputRange of(Bundle bundle) {
        Map<String, String> settings = bundle.settings();
        if (!settings.containsKey(LOWEST) && !settings.containsKey(HIGHEST)) {
            return FINITE;
        }
        try {
            return new InputRange(Float.parseFloat(bundle.text(LOWEST)), Float.parseFloat(bundle.text(HIGHEST)));
        } catch (IllegalArgumentException e) {
            throw new ModelException(
                    "the range in a " + bundle.kind() + " descriptor is damaged: " + e.getMessage(), e);
        }
    }

    /** The range as settings of a descriptor. */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(LOWEST, String.valueOf(lowest));
        settings.put(HIGHEST, String.valueOf(highest));
        return settings;
    }

    /** The range of these inputs. */
    public static InputRange of(Inputs inputs) {
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
        return holds(values, 0, values.length);
    }

    /**
     * The same for some values.
     *
     * @param from the first of them
     * @param to the one behind the last
     */
    public boolean holds(float[] values, int from, int to) {
        double width = (double) highest - lowest;
        double least = Math.max(lowest - width, -Float.MAX_VALUE);
        double most = Math.min(highest + width, Float.MAX_VALUE);
        for (int i = from; i < to; i++) {
            if (!(values[i] >= least && values[i] <= most)) {
                return false;
            }
        }
        return true;
    }
}
