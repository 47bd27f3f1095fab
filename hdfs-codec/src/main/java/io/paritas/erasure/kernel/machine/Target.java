/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/**
 * The processors that code is written for. It runs on all of the tier, and is fast on those of the maker.
 *
 * @param tier the instructions
 * @param maker the habits
 */
record Target(Tier tier, Maker maker) {
    /** Whether the second vector of a turn is folded together with the first one. */
    boolean foldsPairs() {
        return maker == Maker.INTEL && tier.xorTerms() > 2;
    }

    /** Whether the loop asks for cache lines ahead. */
    boolean asksAhead() {
        return maker == Maker.INTEL;
    }
}
