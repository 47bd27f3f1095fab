/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

/** The functions. */
enum Kind {
    PLAIN("predict", "predicts with a model"),
    CODED("coded_predict", "predicts with a model; the rows of slow and dead tasks are reconstructed from others"),
    FOLDED("folded_predict", "predicts with a folded model, several rows in one pass");

    private final String function;
    private final String description;

    Kind(String function, String description) {
        this.function = function;
        this.description = description;
    }

    String function() {
        return function;
    }

    /** For {@code DESCRIBE FUNCTION}. */
    String description() {
        return function + "(model, column...[, options]) - " + description + ": a struct of prediction, outcome"
                + " (predicted, reconstructed or unavailable) and, with onError=column, error. The options are a map of"
                + " text, such as map('batchRows', '64').";
    }
}
