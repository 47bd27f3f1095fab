/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import java.util.List;

/**
 * A table about a component, for the page Paritas of Spark's UI.
 *
 * @param title what it is about
 * @param columns names of the columns
 * @param rows texts, as many in each row as there are columns
 */
public record Report(String title, List<String> columns, List<List<String>> rows) {
    /** Checks the rows, and copies the lists. */
    public Report {
        columns = List.copyOf(columns);
        rows = rows.stream().map(List::copyOf).toList();
        for (List<String> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException(
                        "a row of a report must have a text for each of " + columns + ", got " + row);
            }
        }
    }
}
