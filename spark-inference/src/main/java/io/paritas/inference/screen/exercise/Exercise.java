/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import java.util.function.Consumer;

/** A computation whose results are known. Thread-safe: several processors do the same exercise at once. */
interface Exercise {
    /** Different inputs, which are used in turn. */
    int PATTERNS = 8;

    /** What it exercises, in a word. */
    String name();

    /**
     * Computes the results for one of the inputs, and reports those that are wrong.
     *
     * @param pattern number of the inputs, below {@link #PATTERNS}
     */
    void run(int pattern, Consumer<WrongResult> wrong);
}
