/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/**
 * The processors that code is written for. It runs on all of the tier, and is fast on those with such cores.
 *
 * @param tier the instructions
 * @param cores the habits
 */
record Target(Tier tier, Cores cores) {
    /** Whether the second vector of a turn is folded together with the first one. */
    boolean foldsPairs() {
        return cores.foldPairs && tier.xorTerms() > 2 && tier.architecture.displaces;
    }

    /** Whether the loop asks for cache lines ahead. */
    boolean asksAhead() {
        return cores.askAhead && tier.architecture.displaces;
    }
}
