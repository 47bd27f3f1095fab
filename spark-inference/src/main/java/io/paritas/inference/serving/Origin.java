/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.Locale;

/** How an answer was obtained. Nothing else is ever answered: there is no default prediction. */
public enum Origin {
    /** By the deployed model. */
    PREDICTED,
    /** From the other answers of the coding group: approximate, unless the model is linear. */
    RECONSTRUCTED,
    /** By the backup model, under {@link Policy.Backup} only. */
    APPROXIMATED,
    /** Not at all: there is a reason in the place of values. */
    UNAVAILABLE;

    /** The name in replies and metrics, such as {@code predicted}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
