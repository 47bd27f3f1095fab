/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.apache.spark.sql.functions.array_max;
import static org.apache.spark.sql.functions.array_position;
import static org.apache.spark.sql.functions.col;

import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.SparkSetting;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * A stage that adds a column of answers. Params are made in the constructor, behind the uid that they remember, and are
 * found by Spark as public methods.
 */
abstract class InferenceModel<M extends InferenceModel<M>> extends Model<M> implements MLWritable {
    private final String uid;
    private final CallParams call;
    private final Param<String> onError;
    private final IntParam batchRows;

    InferenceModel(String uid, String modelMeaning) {
        this.uid = uid;
        this.call = CallParams.of(this, modelMeaning);
        this.onError =
                CallParams.text(this, "onError", "what a row that cannot be predicted does: fail, null or column");
        this.batchRows = new IntParam(this, "batchRows", "rows of one call of the model, 0 for a number that fits");
    }

    /** The call of the SQL function, without options. */
    abstract Predict predict(String model, Column... inputs);

    /** Settings that the model has params of its own for, besides those of this class. */
    abstract Map<SparkSetting, Optional<String>> ownSettings();

    /** Hashes of the files that the params name, by what each file is. */
    abstract Map<String, String> hashes();

    @Override
    public String uid() {
        return uid;
    }

    public Param<String> model() {
        return call.model();
    }

    public StringArrayParam inputCols() {
        return call.inputCols();
    }

    public Param<String> outputCol() {
        return call.outputCol();
    }

    public Param<String> predictionCol() {
        return call.predictionCol();
    }

    public StringArrayParam options() {
        return call.options();
    }

    public Param<String> onError() {
        return onError;
    }

    public IntParam batchRows() {
        return batchRows;
    }

    public M setModel(String path) {
        return with(model(), path);
    }

    /** Where the model's input is: one column, or numeric columns that are its values. */
    public M setInputCols(String... columns) {
        return with(inputCols(), columns);
    }

    /** The new column with the answers; {@code answer} if it is not set. */
    public M setOutputCol(String column) {
        return with(outputCol(), column);
    }

    /** A further new column, with the predicted class as evaluators want it. */
    public M setPredictionCol(String column) {
        return with(predictionCol(), column);
    }

    /** {@code fail}, {@code null} or {@code column}. */
    public M setOnError(String what) {
        return with(onError, what);
    }

    public M setBatchRows(int rows) {
        return with(batchRows, rows);
    }

    /**
     * More options of the SQL function, each as {@code name=value}: {@link SparkSetting} has their names.
     *
     * @throws IllegalArgumentException if one is not written so, is unknown, or is given twice
     */
    public M setOptions(String... options) {
        CallParams.checkOptions(options);
        return with(options(), options);
    }

    /** What is set, with a default or by hand. */
    CallParams call() {
        return call;
    }

    final <T> M with(Param<T> param, T value) {
        set(param, value);
        return self();
    }

    @SuppressWarnings("unchecked")
    private M self() {
        return (M) this;
    }

    private Map<SparkSetting, String> settings() {
        Map<SparkSetting, Optional<String>> own = new LinkedHashMap<>(ownSettings());
        own.put(SparkSetting.ON_ERROR, call.value(onError));
        own.put(SparkSetting.BATCH_ROWS, call.value(batchRows).map(String::valueOf));
        return call.settings(own);
    }

    /**
     * The schema with the new columns.
     *
     * @throws IllegalArgumentException if a param is missing, an input column is missing, or a new column is there already
     */
    @Override
    public StructType transformSchema(StructType schema) {
        return call.answered(schema, settings());
    }

    @Override
    public Dataset<Row> transform(Dataset<?> dataset) {
        transformSchema(dataset.schema());
        String answer = call.required(outputCol());
        Dataset<Row> answered = dataset.withColumn(answer, answers());
        return call.value(predictionCol())
                .map(column -> answered.withColumn(column, label(quoted(answer).getField("prediction"))))
                .orElse(answered);
    }

    /** The call of the SQL function. */
    Column answers() {
        Column[] inputs = Arrays.stream(call.required(inputCols()))
                .map(InferenceModel::quoted)
                .toArray(Column[]::new);
        Predict predict = predict(call.required(model()), inputs);
        for (Map.Entry<SparkSetting, String> setting : settings().entrySet()) {
            predict = predict.option(setting.getKey(), setting.getValue());
        }
        return predict.toColumn();
    }

    /** The first of the largest values, counted from 0. */
    static Column label(Column prediction) {
        return array_position(prediction, array_max(prediction)).minus(1).cast("double");
    }

    /** A column by its whole name, whatever characters it has. */
    static Column quoted(String name) {
        return col("`" + name.replace("`", "``") + "`");
    }

    @Override
    public M copy(ParamMap extra) {
        return this.<M>defaultCopy(extra).setParent(parent());
    }

    /** Writes the params and the hashes of the files that they name; the files stay where they are. */
    @Override
    public MLWriter write() {
        return new ReferenceWriter(this);
    }
}
