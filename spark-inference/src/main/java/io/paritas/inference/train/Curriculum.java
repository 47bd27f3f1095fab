/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

/**
 * Classes come into training bit by bit (thesis, 9.4.2): first some, then some more every so many epochs.
 *
 * @param initial classes of the first epochs
 * @param step classes more each time
 * @param every epochs between
 */
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

    /** The published one: a tenth of the classes (at least f), a tenth more every so many epochs (there 60). */
    public static Curriculum tenths(int classes, int fold, int every) {
        return new Curriculum(Math.max(classes / 10, fold), Math.max(classes / 10, 1), every);
    }

    /** How many classes, counted from the first, an epoch has. */
    int classes(int epoch) {
        return (int) Math.min(Integer.MAX_VALUE, initial + (epoch - 1L) / every * step);
    }
}
