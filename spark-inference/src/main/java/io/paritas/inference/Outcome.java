/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.util.Locale;

/** How the prediction for a row was obtained. Rows without one are {@link #UNAVAILABLE}: there are no default predictions. */
@PublicApi
public enum Outcome {
    /** By the deployed model. */
    PREDICTED,
    /** From other predictions of the coding group: approximate unless the model is linear. */
    RECONSTRUCTED,
    /** By a backup model of the serving process: approximate. Spark queries never have it. */
    APPROXIMATED,
    /** Not at all: there are no values. */
    UNAVAILABLE;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** The name that users see in columns, replies and metrics, such as {@code predicted}. */
    public String label() {
        return label;
    }
}
