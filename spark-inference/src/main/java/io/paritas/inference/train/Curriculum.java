/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.PublicApi;

/**
 * Curriculum learning (thesis, 9.4.2): training starts with some classes and adds more as it goes on.
 *
 * @param initial number of classes in the first epochs
 * @param step number of classes that are added each time
 * @param every number of epochs between additions
 */
@PublicApi
public record Curriculum(int initial, int step, int every) {
    /** All classes from the start. */
    public static final Curriculum NONE = new Curriculum(Integer.MAX_VALUE, 1, 1);

    /** Checks the numbers. */
    public Curriculum {
        if (initial < 1 || step < 1 || every < 1) {
            throw new IllegalArgumentException(
                    "a curriculum's initial classes, step and epochs must be at least 1, got " + initial + ", " + step
                            + ", " + every);
        }
    }

    /** The published curriculum: a tenth of the classes (at least f), and a tenth more every {@code every} epochs (there 60). */
    public static Curriculum tenths(int classes, int fold, int every) {
        return new Curriculum(Math.max(classes / 10, fold), Math.max(classes / 10, 1), every);
    }

    /** Number of classes, counted from the first, in an epoch. */
    int classes(int epoch) {
        return (int) Math.min(Integer.MAX_VALUE, initial + (epoch - 1L) / every * step);
    }

    /**
     * Checks that all classes come in before a training ends.
     *
     * @throws IllegalArgumentException if they do not
     */
    public void check(int classes, int epochs) {
        if (classes(epochs) < classes) {
            long last = 1 + (classes - initial + step - 1L) / step * every;
            throw new IllegalArgumentException("a curriculum must have all classes before the training ends: with "
                    + initial + " of " + classes + " classes at first, and " + step + " more every " + every
                    + " epochs, all are there from epoch " + last + " on, and the last one is " + epochs
                    + ": train longer, or add classes more often");
        }
    }
}
