/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.List;
import java.util.function.Supplier;

/**
 * What an instance gets at once.
 *
 * @param number by which it answers
 * @param instance that gets it
 * @param works in the order of the rows
 */
record Batch(long number, Instance instance, List<Work> works) {

    /** Makes the inputs: for a parity this encodes, so it is done without holding up anybody. */
    float[][] inputs() {
        return works.stream().map(Work::input).map(Supplier::get).toArray(float[][]::new);
    }

    /** Whether nobody needs an answer any more. */
    boolean isOver() {
        return works.stream().allMatch(Work::isOver);
    }
}
