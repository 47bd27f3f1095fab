/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.util.Locale;

/** What the models of a bundle are to the deployed model. */
@PublicApi
public enum BundleKind {
    /** Parity models. */
    PARITY,
    /** The networks of a learned code. */
    LEARNED,
    /** A folded network. */
    FOLDED,
    /** The small model of a cascade. */
    CASCADE;

    /** The name in descriptors: {@code parity}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Name of the descriptor's file: {@code parity.json}. */
    public String file() {
        return this + ".json";
    }
}
