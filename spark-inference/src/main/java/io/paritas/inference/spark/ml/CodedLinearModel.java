/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.apache.spark.ml.functions.array_to_vector;
import static org.apache.spark.sql.functions.when;

import io.paritas.inference.BundleKind;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.LinearCode;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.plan.Models;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.settings.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.clustering.KMeansModel;
import org.apache.spark.ml.feature.PCAModel;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.param.DoubleArrayParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructType;

/**
 * A fitted model of Spark ML that slow and dead tasks cannot hold up: linear and logistic regression, k-means and PCA. All are linear
 * up to their last step, so the linear part is its own parity model: nothing is trained, and reconstructions differ from
 * predictions by rounding only ({@link LinearCode#errorBound}).
 *
 * <pre>{@code
 * CodedLinearModel coded = CodedLinearModel.of(fitted, new Combinations(4, 1), "/models/churn");
 * Dataset<Row> answers = coded.transform(rows);
 * }</pre>
 *
 * <p>It adds the columns of the wrapped model, under their names, with their types and attributes, and the answer of
 * {@code coded_predict}: a struct with the margins and the outcome, described by {@link Predict}. Margins are computed in float32, where
 * Spark ML computes in float64. A saved stage refers to its model files by path and SHA-256. It does not copy them, and cannot be
 * loaded once they have changed.
 */
public final class CodedLinearModel extends InferenceModel<CodedLinearModel> {
    private static final long serialVersionUID = 1;

    private static final String FILE = "model.onnx";
    private static final String DESCRIPTOR = BundleKind.PARITY.file();

    private final Param<String> lastStep;
    private final Param<String> rawPredictionCol;
    private final Param<String> probabilityCol;
    private final Param<String> transformedCol;
    private final DoubleArrayParam thresholds;
    private final IntParam margins;

    public CodedLinearModel() {
        this(Identifiable$.MODULE$.randomUID("codedLinear"));
    }

    public CodedLinearModel(String uid) {
        super(uid, "path of the linear part, which has its parity models beside it");
        lastStep = CallParams.text(
                this, "lastStep", "what follows the linear part: " + ModelTrainer.words(LastStep.class));
        rawPredictionCol = CallParams.text(
                this, "rawPredictionCol", "margins of all classes, a vector; no such column if it is not set");
        probabilityCol = CallParams.text(
                this, "probabilityCol", "probabilities of all classes, a vector; no such column if it is not set");
        transformedCol =
                CallParams.text(this, "transformedCol", "the components, a vector; no such column if it is not set");
        thresholds = new DoubleArrayParam(
                this, "thresholds", "one for each class, as of the wrapped model, or one for class 1 of two");
        margins = new IntParam(this, "margins", "how many values the linear part answers");
    }

    /**
     * Wraps a fitted model, whose columns and thresholds are taken over.
     *
     * @param fitted a model of linear regression, logistic regression, k-means or PCA
     * @param code rows of a group, and how many of their predictions can be lost together
     * @param folder where the linear part and its parity models are written, on the driver; those of an earlier call are replaced
     * @throws IllegalArgumentException if the model is of another kind, a weight is beyond float32, or the folder is elsewhere or has
     *     other models
     */
    public static CodedLinearModel of(Model<?> fitted, Combinations code, String folder) {
        LinearForm form = LinearForm.of(fitted);
        LinearCode linear = new LinearCode(form.matrix(), form.bias());
        Path local = CallParams.folder("folder", folder);
        requireNoOther(local);
        linear.parity(code).bundle().write(local);
        Path file = local.resolve(FILE);
        linear.deployed().file().write(file);
        CodedLinearModel model = new CodedLinearModel().setModel(file.toString());
        model.with(model.lastStep, ModelTrainer.lower(form.step())).with(model.margins, form.bias().length);
        return model.named(fitted);
    }

    /** Refuses a folder with models that no linear model has written: they may be the only copy. */
    private static void requireNoOther(Path folder) {
        boolean isLinear = Files.exists(folder.resolve(DESCRIPTOR))
                && ParityModels.read(folder).exact();
        for (String name : List.of(FILE, DESCRIPTOR)) {
            if (!isLinear && Files.exists(folder.resolve(name))) {
                throw new IllegalArgumentException("folder must have no " + name + " but that of a linear model, "
                        + folder + " has another one: choose another folder");
            }
        }
    }

    private CodedLinearModel named(Model<?> fitted) {
        if (fitted instanceof LinearRegressionModel regression) {
            return setInputCols(regression.getFeaturesCol()).naming(predictionCol(), regression.getPredictionCol());
        }
        if (fitted instanceof LogisticRegressionModel regression) {
            naming(rawPredictionCol, regression.getRawPredictionCol());
            naming(probabilityCol, regression.getProbabilityCol());
            if (regression.isSet(regression.thresholds())) {
                with(thresholds, regression.getThresholds());
            } else if (regression.coefficientMatrix().numRows() == 1) {
                with(thresholds, new double[] {regression.getThreshold()});
            }
            return setInputCols(regression.getFeaturesCol()).naming(predictionCol(), regression.getPredictionCol());
        }
        if (fitted instanceof KMeansModel clusters) {
            return setInputCols(clusters.getFeaturesCol()).setPredictionCol(clusters.getPredictionCol());
        }
        PCAModel components = (PCAModel) fitted;
        return setInputCols(components.getInputCol()).with(transformedCol, components.getOutputCol());
    }

    /** Takes a column's name over. Where it is empty, models of Spark ML do not add the column. */
    private CodedLinearModel naming(Param<String> param, String column) {
        return column.isEmpty() ? this : with(param, column);
    }

    public Param<String> lastStep() {
        return lastStep;
    }

    public Param<String> rawPredictionCol() {
        return rawPredictionCol;
    }

    public Param<String> probabilityCol() {
        return probabilityCol;
    }

    public Param<String> transformedCol() {
        return transformedCol;
    }

    public DoubleArrayParam thresholds() {
        return thresholds;
    }

    public IntParam margins() {
        return margins;
    }

    /** Name of another new column, with the margins of all classes. */
    public CodedLinearModel setRawPredictionCol(String column) {
        return with(rawPredictionCol, column);
    }

    /** Name of another new column, with the probabilities of all classes. */
    public CodedLinearModel setProbabilityCol(String column) {
        return with(probabilityCol, column);
    }

    /** Name of another new column, with the components. */
    public CodedLinearModel setTransformedCol(String column) {
        return with(transformedCol, column);
    }

    private LastStep step() {
        String name = call().required(lastStep);
        for (LastStep step : LastStep.values()) {
            if (ModelTrainer.lower(step).equals(name)) {
                return step;
            }
        }
        throw new IllegalArgumentException(
                "lastStep must be one of " + ModelTrainer.words(LastStep.class) + ", got '" + name + "'");
    }

    @Override
    Predict predict(String model, Column... inputs) {
        return Predict.coded(model, inputs);
    }

    @Override
    Column predicted(Column margins) {
        return step().predicted(margins, call().value(thresholds));
    }

    @Override
    DataType predictionType() {
        return step().predictionType();
    }

    /** The number of classes, or of a vector's values, as the wrapped model says it. */
    @Override
    Metadata metadata(Param<String> column) {
        LastStep step = step();
        return call().value(margins)
                .map(count -> step == LastStep.LOGISTIC ? 2 : (int) count)
                .map(size -> column.equals(predictionCol())
                        ? step.predictionMetadata(size)
                        : new AttributeGroup(column.name(), size).toMetadata())
                .orElse(Metadata.empty());
    }

    @Override
    public StructType transformSchema(StructType schema) {
        StructType result = super.transformSchema(schema);
        for (Param<String> param : List.of(rawPredictionCol, probabilityCol, transformedCol)) {
            if (call().value(param).isPresent()) {
                result = call().append(result, param, SQLDataTypes.VectorType(), true, metadata(param));
            }
        }
        return result;
    }

    @Override
    public Dataset<Row> transform(Dataset<?> dataset) {
        LastStep step = step();
        Dataset<Row> result = super.transform(dataset);
        Column margins = quoted(getOrDefault(outputCol())).getField("prediction");
        result = withVector(result, rawPredictionCol, step.raw(margins));
        result = withVector(result, probabilityCol, step.probabilities(margins));
        return withVector(result, transformedCol, margins.cast("array<double>"));
    }

    private Dataset<Row> withVector(Dataset<Row> rows, Param<String> param, Column values) {
        return call().value(param)
                .map(name -> rows.withColumn(
                        name, when(values.isNotNull(), array_to_vector(values)).as(name, metadata(param))))
                .orElse(rows);
    }

    @Override
    Map<Setting<?>, Optional<String>> ownSettings() {
        return Map.of(CodedSettings.PARITY, call().value(model()).map(CodedLinearModel::folder));
    }

    private static String folder(String model) {
        return model.substring(0, model.lastIndexOf('/') + 1);
    }

    @Override
    Map<String, String> hashes() {
        Map<String, String> hashes = new LinkedHashMap<>();
        call().value(model()).ifPresent(path -> {
            hashes.put("model", ModelFile.read(Models.local(path)).sha256());
            ParityModels.read(Models.local(folder(path)))
                    .bundle()
                    .models()
                    .forEach((role, parity) -> hashes.put(role, parity.sha256()));
        });
        return hashes;
    }

    public static MLReader<CodedLinearModel> read() {
        return new ReferenceReader<>(CodedLinearModel.class, CodedLinearModel::new);
    }

    /**
     * Reads a saved stage.
     *
     * @throws ModelException if a model file has changed since the stage was saved
     */
    public static CodedLinearModel load(String path) {
        return read().load(path);
    }
}
