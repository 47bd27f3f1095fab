/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import java.io.Serializable;

/**
 * A result that is wrong.
 *
 * @param exercise name of the exercise
 * @param pattern number of its inputs
 * @param index place of the result
 * @param width bits of the result, 8 or 32
 * @param expected bits of the right result
 * @param actual bits of the result
 */
public record WrongResult(String exercise, int pattern, int index, int width, int expected, int actual)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** The bits that differ. */
    public int flipped() {
        return expected ^ actual;
    }
}
