/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.spark.plan.Models;
import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.settings.Setting;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** The params that models and trainers share: what a call of a model takes, and where its answers go. */
record CallParams(
        Params owner,
        Param<String> model,
        StringArrayParam inputCols,
        Param<String> outputCol,
        Param<String> predictionCol,
        StringArrayParam options)
        implements Serializable {

    /** Creates the params of a stage. Its uid must be set already, because each param keeps it. */
    static CallParams of(Params owner, String modelMeaning) {
        CallParams params = new CallParams(
                owner,
                text(owner, "model", modelMeaning),
                new StringArrayParam(
                        owner,
                        "inputCols",
                        "one column with the model's input, or numeric columns that are its values"),
                text(owner, "outputCol", "struct with prediction, outcome and, with onError=column, error"),
                text(
                        owner,
                        "predictionCol",
                        "what is predicted: the index of the largest value, a double, or what a wrapped model makes of the"
                                + " values; null where there is no prediction; no such column if it is not set"),
                new StringArrayParam(
                        owner,
                        "options",
                        "more options of the SQL function, each as name=value: " + CallSettings.optionNames()));
        owner.setDefault(params.outputCol, "answer");
        owner.setDefault(params.options, new String[0]);
        return params;
    }

    /** Creates a text param with its class, which Spark Connect needs to set it. */
    static Param<String> text(Params owner, String name, String doc) {
        return new Param<>(owner.uid(), name, doc, String.class);
    }

    /** The value of a param without a default, if it is set. */
    <T> Optional<T> value(Param<T> param) {
        return owner.isDefined(param) ? Optional.of(owner.getOrDefault(param)) : Optional.empty();
    }

    /**
     * The value of a required param.
     *
     * @throws IllegalArgumentException if it is not set
     */
    <T> T required(Param<T> param) {
        return value(param)
                .orElseThrow(() -> new IllegalArgumentException(
                        owner.uid() + " needs " + param.name() + ", and it is not set: " + param.doc()));
    }

    /** @throws IllegalArgumentException if an option is not name=value, is unknown, or is given twice */
    static void checkOptions(String... options) {
        parsed(options);
    }

    private static Map<Setting<?>, String> parsed(String... options) {
        Map<Setting<?>, String> settings = new LinkedHashMap<>();
        for (String option : options) {
            int equals = option.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("an option must be name=value, got '" + option + "'");
            }
            String name = option.substring(0, equals).strip();
            Setting<?> setting =
                    CallSettings.ofOption(name).orElseThrow(() -> CallSettings.unknown(name, CallSettings.options()));
            CallSettings.put(settings, setting, option.substring(equals + 1).strip());
        }
        return settings;
    }

    /**
     * The settings of a stage: its options and its own params.
     *
     * @param own values of its own params; empty where one is not set
     * @throws IllegalArgumentException if a setting is given twice
     */
    Map<Setting<?>, String> settings(Map<Setting<?>, Optional<String>> own) {
        Map<Setting<?>, String> settings = parsed(owner.getOrDefault(options));
        own.forEach((setting, value) -> value.ifPresent(text -> CallSettings.put(settings, setting, text)));
        return settings;
    }

    /**
     * The schema with the columns of the answers added.
     *
     * @throws IllegalArgumentException if a required param or an input column is missing, or a new column exists
     *     already
     */
    StructType answered(StructType schema, Map<Setting<?>, String> settings) {
        return predicted(schema, settings, DataTypes.DoubleType, Metadata.empty());
    }

    /**
     * The same where predictions are of another type.
     *
     * @param metadata of the column of predictions
     */
    StructType predicted(StructType schema, Map<Setting<?>, String> settings, DataType type, Metadata metadata) {
        required(model);
        String[] inputs = required(inputCols);
        if (inputs.length == 0) {
            throw new IllegalArgumentException(owner.uid() + " needs at least one of inputCols: " + inputCols.doc());
        }
        for (String input : inputs) {
            requireColumn(schema, "inputCols", input);
        }
        StructType result = append(schema, outputCol, answer(settings), false, Metadata.empty());
        return value(predictionCol).isPresent() ? append(result, predictionCol, type, true, metadata) : result;
    }

    /** Compares names without case: Spark may take names that differ in case for the same column, and replace it. */
    StructType append(StructType schema, Param<String> param, DataType type, boolean nullable, Metadata metadata) {
        String column = required(param);
        for (String existing : schema.fieldNames()) {
            if (existing.equalsIgnoreCase(column)) {
                throw new IllegalArgumentException(owner.uid() + ": " + param.name() + " adds a column, and there is a"
                        + " column '" + existing + "' already: set another " + param.name());
            }
        }
        return schema.add(column, type, nullable, metadata);
    }

    private static StructType answer(Map<Setting<?>, String> settings) {
        StructType answer = new StructType()
                .add("prediction", new ArrayType(DataTypes.FloatType, false), true)
                .add("outcome", DataTypes.StringType, false);
        boolean reasons = value(EngineSettings.ON_ERROR, settings) == OnError.COLUMN;
        return reasons ? answer.add("error", DataTypes.StringType, true) : answer;
    }

    /** The value of a setting: the option's, else the session's, else the default. */
    static <T> T value(Setting<T> setting, Map<Setting<?>, String> options) {
        return setting.get(texts(options));
    }

    /** Finds the text of a key: an option, else the session's setting, else null. */
    static UnaryOperator<String> texts(Map<Setting<?>, String> options) {
        Map<String, String> byKey = new HashMap<>();
        options.forEach((setting, text) -> byKey.put(setting.key(), text));
        Option<SparkSession> session = SparkSession.getActiveSession();
        return key -> byKey.containsKey(key) || session.isEmpty()
                ? byKey.get(key)
                : session.get().conf().get(key, null);
    }

    /**
     * The folder of the driver that a path names.
     *
     * @param name of the path, for the message
     * @throws IllegalArgumentException if it is elsewhere
     */
    static Path folder(String name, String path) {
        if (Models.isRemote(path)) {
            throw new IllegalArgumentException(
                    name + " must be a folder of the driver, got '" + path + "': choose one, and copy it there");
        }
        return Models.local(path);
    }

    /** Refuses a column that does not exist. */
    void requireColumn(StructType schema, String param, String column) {
        if (!Arrays.asList(schema.fieldNames()).contains(column)) {
            throw new IllegalArgumentException(owner.uid() + ": there must be a column '" + column + "', which " + param
                    + " names; there are " + Arrays.toString(schema.fieldNames()));
        }
    }
}
