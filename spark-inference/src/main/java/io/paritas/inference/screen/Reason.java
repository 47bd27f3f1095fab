/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

/** Why a batch is thought to be wrong. */
public enum Reason {
    /** It was picked at random. */
    CHANCE,
    /** The predictions of its coding group and the parity model's answer do not fit. */
    RESIDUAL,
    /** Copies of a row in a stack of a folded model were answered differently. */
    FOLDED,
    /** It was not audited: the checks of a protected model found wrong values. */
    PROTECTION
}
