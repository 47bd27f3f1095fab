/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import io.paritas.PublicApi;
import io.paritas.settings.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.functions;

/**
 * Calls of the SQL functions, with their options, as columns: for sessions in the driver and for Spark Connect alike.
 *
 * <pre>{@code
 * Dataset<Row> answers = images.select(
 *         col("path"),
 *         Predict.coded("model.onnx", col("content")).option(InputSettings.TYPE, BinaryContent.IMAGE).toColumn().as("answer"));
 * }</pre>
 *
 * <p>The column is a struct: {@code prediction} (array of float, null if there is none), {@code outcome}
 * ({@code predicted}, {@code reconstructed} or {@code unavailable}) and, with {@code onError=column}, {@code error}.
 * Immutable.
 */
@PublicApi
public final class Predict {
    private final String function;
    private final List<String> models;
    private final List<Column> inputs;
    private final Map<String, String> options;

    private Predict(String function, List<String> models, List<Column> inputs, Map<String, String> options) {
        this.function = function;
        this.models = models;
        this.inputs = inputs;
        this.options = options;
    }

    /**
     * Predictions that slow and dead tasks cannot hold up: {@code coded_predict}.
     *
     * @param model path of the deployed model
     * @param inputs one column with the model's input, or numeric columns that are its values
     */
    public static Predict coded(String model, Column... inputs) {
        return new Predict("coded_predict", List.of(model), List.of(inputs), Map.of());
    }

    /** Ordinary predictions, with the same rows and outcomes: {@code predict}. */
    public static Predict plain(String model, Column... inputs) {
        return new Predict("predict", List.of(model), List.of(inputs), Map.of());
    }

    /**
     * Predictions of a folded model, f rows in one pass: {@code folded_predict}.
     *
     * @param model path of a descriptor {@code folded.json} or its folder
     */
    public static Predict folded(String model, Column... inputs) {
        return new Predict("folded_predict", List.of(model), List.of(inputs), Map.of());
    }

    /**
     * Predictions of a small model where it is sure, and of a large one elsewhere: {@code cascade_predict}.
     *
     * @param small path of a descriptor {@code cascade.json} or its folder, or of a folded or another model, which needs the
     *     option {@code threshold}
     * @param large path of the large model
     */
    public static Predict cascade(String small, String large, Column... inputs) {
        return new Predict("cascade_predict", List.of(small, large), List.of(inputs), Map.of());
    }

    /**
     * This call with one more option.
     *
     * @throws IllegalArgumentException if the setting is no option of a call
     */
    public <T> Predict option(Setting<T> setting, T value) {
        return option(
                setting.option()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "a setting must be an option of a call, got " + setting + ": set it in the session")),
                value);
    }

    /** This call with one more option, by its name; case does not matter. */
    public Predict option(String name, Object value) {
        Map<String, String> more = new LinkedHashMap<>(options);
        more.put(name, OptionText.of(value));
        return new Predict(function, models, inputs, more);
    }

    /** The call as a column. */
    public Column toColumn() {
        List<Column> arguments = new ArrayList<>();
        models.forEach(model -> arguments.add(functions.lit(model)));
        arguments.addAll(inputs);
        if (!options.isEmpty()) {
            List<Column> entries = new ArrayList<>();
            options.forEach((name, value) -> {
                entries.add(functions.lit(name));
                entries.add(functions.lit(value));
            });
            arguments.add(functions.map(entries.toArray(Column[]::new)));
        }
        return functions.call_function("paritas_" + function, arguments.toArray(Column[]::new));
    }
}
