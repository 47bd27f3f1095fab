/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.apache.spark.sql.functions.array_max;
import static org.apache.spark.sql.functions.array_position;
import static org.apache.spark.sql.functions.col;

import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.settings.Setting;
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
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructType;

/**
 * A pipeline stage that adds a column of answers. The constructor creates the params after the uid, which they keep.
 * Spark finds the params by their public methods.
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

    /** The settings that are params of the subclass. */
    abstract Map<Setting<?>, Optional<String>> ownSettings();

    /** The SHA-256 of each file that the params name, by the file's role. */
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

    /** The input columns: one with the whole input, or numeric columns with its values. */
    public M setInputCols(String... columns) {
        return with(inputCols(), columns);
    }

    /** Name of the new column of answers; {@code answer} if it is not set. */
    public M setOutputCol(String column) {
        return with(outputCol(), column);
    }

    /** Name of another new column, with the predicted class as evaluators expect it. */
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
     * More options of the SQL function, each as {@code name=value}; {@link CallSettings} lists the names.
     *
     * @throws IllegalArgumentException if an option is not name=value, is unknown, or is given twice
     */
    public M setOptions(String... options) {
        CallParams.checkOptions(options);
        return with(options(), options);
    }

    /** The params of the call. */
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

    private Map<Setting<?>, String> settings() {
        Map<Setting<?>, Optional<String>> own = new LinkedHashMap<>(ownSettings());
        own.put(EngineSettings.ON_ERROR, call.value(onError));
        own.put(EngineSettings.BATCH_ROWS, call.value(batchRows).map(String::valueOf));
        return call.settings(own);
    }

    /**
     * The schema with the new columns.
     *
     * @throws IllegalArgumentException if a param or an input column is missing, or a new column exists already
     */
    @Override
    public StructType transformSchema(StructType schema) {
        return call.predicted(schema, settings(), predictionType(), metadata(predictionCol()));
    }

    @Override
    public Dataset<Row> transform(Dataset<?> dataset) {
        transformSchema(dataset.schema());
        String answer = call.required(outputCol());
        Dataset<Row> answered = dataset.withColumn(answer, answers());
        return call.value(predictionCol())
                .map(column -> answered.withColumn(
                        column, predicted(quoted(answer).getField("prediction")).as(column, metadata(predictionCol()))))
                .orElse(answered);
    }

    /** The call of the SQL function. */
    Column answers() {
        Column[] inputs = Arrays.stream(call.required(inputCols()))
                .map(InferenceModel::quoted)
                .toArray(Column[]::new);
        Predict predict = predict(call.required(model()), inputs);
        for (Map.Entry<Setting<?>, String> setting : settings().entrySet()) {
            predict = predict.option(setting.getKey().option().orElseThrow(), setting.getValue());
        }
        return predict.toColumn();
    }

    /** What is predicted of the values that the model answers: the class. */
    Column predicted(Column values) {
        return label(values);
    }

    /** The type of what is predicted. */
    DataType predictionType() {
        return DataTypes.DoubleType;
    }

    /** What the column of a param says to the stages behind this one. */
    Metadata metadata(Param<String> column) {
        return Metadata.empty();
    }

    /** The index, from 0, of the first of the largest values. */
    static Column label(Column prediction) {
        return array_position(prediction, array_max(prediction)).minus(1).cast("double");
    }

    /** A column by its name, whatever characters that has. */
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
