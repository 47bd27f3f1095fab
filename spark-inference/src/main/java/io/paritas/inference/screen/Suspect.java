/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.List;

/**
 * Rows of a group of batches that do not fit together. Whoever predicted one of the batches should have it audited.
 *
 * @param execution whose group it is
 * @param group the group, unique in the execution
 * @param rows numbers of the rows within the batches
 */
public record Suspect(int execution, long group, List<Integer> rows) {

    /** Copies the list. */
    public Suspect {
        rows = List.copyOf(rows);
    }
}
