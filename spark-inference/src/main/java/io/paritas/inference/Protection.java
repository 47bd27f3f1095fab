/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * How a model checks what it computes, so that a processor's wrong values are found and not answered ({@code
 * docs/protection.md}).
 *
 * @param mode how layers are checked
 * @param plan for {@link Mode#GUIDED}: the content of a plan file, or empty to measure when the model is loaded
 */
@PublicApi
public record Protection(Mode mode, String plan) implements Serializable {
    /** No checks. */
    public static final Protection OFF = new Protection(Mode.OFF, "");

    /** How layers are checked. */
    public enum Mode {
        /** Not at all. */
        OFF,
        /** Each layer as a whole. */
        GLOBAL,
        /** Each register tile by itself. */
        THREAD,
        /** Each register tile by itself, with weighted sums that find any two wrong values in a tile. */
        WEIGHTED,
        /** Each layer by the scheme that is fastest for it. */
        GUIDED
    }

    /** Checks that a plan comes with {@link Mode#GUIDED} only. */
    public Protection {
        if (mode != Mode.GUIDED && !plan.isEmpty()) {
            throw new IllegalArgumentException(
                    "a plan needs the mode GUIDED, got " + mode + ": leave out the plan, or use GUIDED");
        }
    }

    /** A mode without a plan. */
    public static Protection of(Mode mode) {
        return new Protection(mode, "");
    }

    /** The same mode for a model that the plan is not of: such a model is measured when it is loaded. */
    public Protection measured() {
        return of(mode);
    }

    /** Whether anything is checked. */
    public boolean isOn() {
        return mode != Mode.OFF;
    }
}
