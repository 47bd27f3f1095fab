/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.io.Serializable;

/**
 * Whether a model checks what it computes, so that wrong values of a processor are found and not answered: {@code
 * docs/protection.md}.
 *
 * @param mode how layers are checked
 * @param plan for {@link Mode#GUIDED}: the content of a plan file, or empty to measure when the model is loaded
 */
public record Protection(Mode mode, String plan) implements Serializable {
    /** Nothing is checked. */
    public static final Protection OFF = new Protection(Mode.OFF, "");

    /** How layers are checked. */
    public enum Mode {
        /** They are not. */
        OFF,
        /** Every layer as a whole. */
        GLOBAL,
        /** Every register tile for itself. */
        THREAD,
        /** Every register tile for itself, so that any two wrong values in one are found. */
        WEIGHTED,
        /** Every layer in the way that costs it the least. */
        GUIDED
    }

    /** Checks that only guided layers have a plan. */
    public Protection {
        if (mode != Mode.GUIDED && !plan.isEmpty()) {
            throw new IllegalArgumentException(
                    "a plan says how layers are checked that are guided by it, the mode is " + mode + ": use GUIDED");
        }
    }

    /** A mode without a plan. */
    public static Protection of(Mode mode) {
        return new Protection(mode, "");
    }

    /** Whether anything is checked. */
    public boolean isOn() {
        return mode != Mode.OFF;
    }
}
