/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.settings.Setting;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The SQL functions. */
enum Kind {
    PLAIN("predict", "predicts with a model", "a model", "model.onnx"),
    CODED(
            "coded_predict",
            "predicts with a model; the rows of slow and dead tasks are reconstructed from others",
            "a model with parity models beside it",
            "model.onnx"),
    FOLDED(
            "folded_predict",
            "predicts with a folded model, several rows in one pass",
            "a descriptor folded.json or its folder",
            "folded.json"),
    CASCADE(
            "cascade_predict",
            "predicts with a small model where it is sure, and with a large one elsewhere",
            "a small model: a descriptor cascade.json or its folder, a folded model, or another model with the option"
                    + " threshold; then the path of the large model",
            "cascade', '/models/model.onnx");

    private final String function;
    private final String description;
    private final String model;
    private final String file;

    Kind(String function, String description, String model, String file) {
        this.function = function;
        this.description = description;
        this.model = model;
        this.file = file;
    }

    String function() {
        return function;
    }

    /** A second name, which nobody else's function has. */
    String ownName() {
        return "paritas_" + function;
    }

    /** Number of models that a call names. */
    int models() {
        return this == CASCADE ? 2 : 1;
    }

    /** The only function that takes an option; empty if all do. */
    static Optional<Kind> only(Setting<?> option) {
        if (CodedSettings.has(option)) {
            return Optional.of(CODED);
        }
        return option.equals(EngineSettings.CASCADE_THRESHOLD) ? Optional.of(CASCADE) : Optional.empty();
    }

    /** The options that the function takes. */
    List<Setting<?>> options() {
        return CallSettings.options().stream()
                .filter(option -> only(option).orElse(this) == this)
                .toList();
    }

    private String optionNames() {
        return options().stream().map(option -> option.option().orElseThrow()).collect(Collectors.joining(", "));
    }

    /** For {@code DESCRIBE FUNCTION}. */
    String usage() {
        return function + (models() == 2 ? "(small, large" : "(model") + ", column...[, options]) - " + description
                + ": a struct of prediction, outcome"
                + " (predicted, reconstructed or unavailable) and, with onError=column, error.";
    }

    /** For {@code DESCRIBE FUNCTION EXTENDED}, in the layout that Spark requires. */
    String arguments() {
        return String.format(Locale.ROOT, """

                Arguments:
                  * model - the path of %s, a constant text.
                  * column - the model's input: one column of binary values, arrays of numbers, vectors or images,
                      or a numeric column for each value.
                  * options - a constant map of texts; there are %s.
            """, model, optionNames());
    }

    /** For {@code DESCRIBE FUNCTION EXTENDED}, in the layout that Spark requires. */
    String examples() {
        return String.format(Locale.ROOT, """

                Examples:
                  > SELECT id, answer.prediction FROM (
                      SELECT id, %1$s('/models/%2$s', image, map('batchRows', '64')) AS answer FROM images);
                  > SELECT * FROM %1$s(TABLE(images), '/models/%2$s', 'image');
            """, function, file);
    }
}
