/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.spark.SparkSetting;
import java.io.Serializable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** What a call of a model takes and where its answers go: the params that models and trainers have in common. */
record CallParams(
        Params owner,
        Param<String> model,
        StringArrayParam inputCols,
        Param<String> outputCol,
        Param<String> predictionCol,
        StringArrayParam options)
        implements Serializable {

    /** The params of a stage; its uid must be there already, for a param remembers it. */
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
                        "index of the prediction's largest value, a double, null where there is no prediction; no such"
                                + " column if it is not set"),
                new StringArrayParam(
                        owner,
                        "options",
                        "more options of the SQL function, each as name=value: "
                                + SparkSetting.options().stream()
                                        .map(SparkSetting::option)
                                        .collect(Collectors.joining(", "))));
        owner.setDefault(params.outputCol, "answer");
        owner.setDefault(params.options, new String[0]);
        return params;
    }

    /** A param that Spark Connect, which asks for its class, can set too. */
    static Param<String> text(Params owner, String name, String doc) {
        return new Param<>(owner.uid(), name, doc, String.class);
    }

    /** The value of a param without a default, if it is set. */
    <T> Optional<T> value(Param<T> param) {
        return owner.isDefined(param) ? Optional.of(owner.getOrDefault(param)) : Optional.empty();
    }

    /** The value of a param that a stage cannot do without. */
    <T> T required(Param<T> param) {
        return value(param)
                .orElseThrow(() -> new IllegalArgumentException(
                        owner.uid() + " needs " + param.name() + ", and it is not set: " + param.doc()));
    }

    /** @throws IllegalArgumentException if an option is not name=value, is unknown, or is given twice */
    static void checkOptions(String... options) {
        parsed(options);
    }

    private static Map<SparkSetting, String> parsed(String... options) {
        Map<SparkSetting, String> settings = new LinkedHashMap<>();
        for (String option : options) {
            int equals = option.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("options are written as name=value, got '" + option + "'");
            }
            String name = option.substring(0, equals).strip();
            SparkSetting setting = SparkSetting.ofOption(name)
                    .orElseThrow(() -> new IllegalArgumentException("'" + name + "' is no option; options are "
                            + SparkSetting.options().stream()
                                    .map(SparkSetting::option)
                                    .collect(Collectors.joining(", "))));
            put(settings, setting, option.substring(equals + 1).strip());
        }
        return settings;
    }

    /**
     * The options, and with them what the stage has params of its own for.
     *
     * @param own values of such params, where they are set
     */
    Map<SparkSetting, String> settings(Map<SparkSetting, Optional<String>> own) {
        Map<SparkSetting, String> settings = parsed(owner.getOrDefault(options));
        own.forEach((setting, value) -> value.ifPresent(text -> put(settings, setting, text)));
        return settings;
    }

    private static void put(Map<SparkSetting, String> settings, SparkSetting setting, String value) {
        String before = settings.putIfAbsent(setting, value);
        if (before != null) {
            throw new IllegalArgumentException("every option is given once, " + setting.option() + " is given as '"
                    + before + "' and as '" + value + "': leave one out");
        }
    }

    /**
     * The schema with the columns of the answers.
     *
     * @throws IllegalArgumentException if an input column is missing, or a column is there that is to be added
     */
    StructType answered(StructType schema, Map<SparkSetting, String> settings) {
        required(model);
        String[] inputs = required(inputCols);
        if (inputs.length == 0) {
            throw new IllegalArgumentException(owner.uid() + " needs at least one of inputCols: " + inputCols.doc());
        }
        for (String input : inputs) {
            requireColumn(schema, "inputCols", input);
        }
        StructType result = append(schema, outputCol, answer(settings), false);
        return value(predictionCol).isPresent() ? append(result, predictionCol, DataTypes.DoubleType, true) : result;
    }

    /** Column names may differ in case and yet be the same column, which would be replaced. */
    private StructType append(StructType schema, Param<String> param, DataType type, boolean nullable) {
        String column = required(param);
        for (String existing : schema.fieldNames()) {
            if (existing.equalsIgnoreCase(column)) {
                throw new IllegalArgumentException(owner.uid() + ": " + param.name() + " adds a column, and there is a"
                        + " column '" + existing + "' already: set another " + param.name());
            }
        }
        return schema.add(column, type, nullable);
    }

    private static StructType answer(Map<SparkSetting, String> settings) {
        StructType answer = new StructType()
                .add("prediction", new ArrayType(DataTypes.FloatType, false), true)
                .add("outcome", DataTypes.StringType, false);
        boolean reasons = setting(SparkSetting.ON_ERROR, settings).equalsIgnoreCase("column");
        return reasons ? answer.add("error", DataTypes.StringType, true) : answer;
    }

    /** What holds for a setting: the option, else what the session says. */
    static String setting(SparkSetting setting, Map<SparkSetting, String> options) {
        Option<SparkSession> session = SparkSession.getActiveSession();
        String otherwise = session.isDefined()
                ? session.get().conf().get(setting.key(), setting.defaultValue())
                : setting.defaultValue();
        return options.getOrDefault(setting, otherwise);
    }

    /** Refuses a column that is not there. */
    void requireColumn(StructType schema, String param, String column) {
        if (!Arrays.asList(schema.fieldNames()).contains(column)) {
            throw new IllegalArgumentException(owner.uid() + ": there must be a column '" + column + "', which " + param
                    + " names; there are " + Arrays.toString(schema.fieldNames()));
        }
    }
}
