/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.data.Samples;
import io.paritas.inference.graph.Initialisation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CodedInferenceModelTest {
    private static final StructType INPUT = StructType.fromDDL("features array<float>, label int");

    private static final ImageSet IMAGES = Samples.digits(60, 1);
    private static final Dataset<Row> DIGITS = LocalSpark.digits(IMAGES).cache();

    private static Path trained;

    @TempDir
    private Path folder;

    private Path file;
    private CodedInferenceModel stage;

    @BeforeAll
    static void train(@TempDir Path once) {
        trained = once;
        network(1).write(once.resolve("model.onnx"));
        new ParityModelTrainer()
                .setModel(once.resolve("model.onnx").toString())
                .setInputCols("features")
                .setOutput(once.resolve("parity").toString())
                .setDevice("cpu")
                .setEpochs(1)
                .fit(DIGITS);
    }

    @AfterAll
    static void stop() {
        LocalSpark.stop();
    }

    @BeforeEach
    void writeAModel() {
        file = folder.resolve("model.onnx");
        network(1).write(file);
        stage = new CodedInferenceModel().setModel(file.toString()).setInputCols("features");
    }

    private static ModelFile network(long seed) {
        return Initialisation.HE.apply(Samples.network(), seed).toModelFile();
    }

    private CodedInferenceModel withParity() {
        return stage.setParity(trained.resolve("parity").toString());
    }

    /** What the model says of the digits. */
    private double[] classes() {
        Examples examples = Samples.examples(network(1), IMAGES);
        return IntStream.range(0, examples.count())
                .mapToDouble(examples.predictions()::label)
                .toArray();
    }

    private static double[] doubles(Dataset<Row> answers, String column) {
        return answers.select(column).collectAsList().stream()
                .mapToDouble(row -> row.getDouble(0))
                .toArray();
    }

    @Test
    void everyParamIsFoundAndKnowsItsStageAndClass() {
        assertThat(Arrays.stream(stage.params()).map(Param::name))
                .containsExactly(
                        "batchRows",
                        "inputCols",
                        "model",
                        "onError",
                        "options",
                        "outputCol",
                        "parity",
                        "predictionCol");
        for (Param<?> param : stage.params()) {
            assertThat(param.parent()).isEqualTo(stage.uid()).startsWith("codedInference_");
            assertThat(param.dataClass()).as(param.name()).isIn(String.class, String[].class, int.class);
            assertThat(param.doc()).isNotEmpty();
        }
        assertThat(stage.explainParams())
                .contains("outputCol: struct with prediction, outcome and, with onError=column");
    }

    @Test
    void theSchemaGetsTheAnswer() {
        assertThat(stage.transformSchema(INPUT))
                .isEqualTo(INPUT.add(
                        "answer",
                        new StructType()
                                .add("prediction", DataTypes.createArrayType(DataTypes.FloatType, false))
                                .add("outcome", DataTypes.StringType, false),
                        false));
    }

    @Test
    void theSchemaGetsThePredictedClassAndTheErrorIfTheyAreWanted() {
        stage.setOutputCol("out").setPredictionCol("class").setOnError("column");
        StructType schema = stage.transformSchema(INPUT);
        assertThat(schema.fieldNames()).containsExactly("features", "label", "out", "class");
        assertThat(((StructType) schema.apply("out").dataType()).fieldNames())
                .containsExactly("prediction", "outcome", "error");
        assertThat(schema.apply("class").dataType()).isEqualTo(DataTypes.DoubleType);
        assertThat(schema.apply("class").nullable()).isTrue();
    }

    @Test
    void whatDoesNotFitIsRefused() {
        String uid = stage.uid();
        assertRefused(
                new CodedInferenceModel(uid), uid + " needs model, and it is not set: path of the deployed model");
        assertRefused(
                new CodedInferenceModel(uid).setModel("m"),
                uid
                        + " needs inputCols, and it is not set: one column with the model's input, or numeric columns"
                        + " that are its values");
        assertRefused(
                stage.copy(ParamMap.empty()).setInputCols(),
                uid + " needs at least one of inputCols: one column with the model's input, or numeric columns that are"
                        + " its values");
        assertRefused(
                stage.copy(ParamMap.empty()).setInputCols("features", "image"),
                uid + ": there must be a column 'image', which inputCols names; there are [features, label]");
        assertRefused(
                stage.copy(ParamMap.empty()).setOutputCol("Label"),
                uid + ": outputCol adds a column, and there is a column 'label' already: set another outputCol");
        assertRefused(
                stage.copy(ParamMap.empty()).setPredictionCol("answer"),
                uid
                        + ": predictionCol adds a column, and there is a column 'answer' already: set another"
                        + " predictionCol");
        assertRefused(
                stage.copy(ParamMap.empty()).setOnError("null").setOptions("onerror=fail"),
                "every option must be given once, onError is given as 'fail' and as 'null': leave one out");
    }

    private static void assertRefused(CodedInferenceModel stage, String message) {
        assertThatThrownBy(() -> stage.transformSchema(INPUT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> stage.transform(DIGITS)).hasMessage(message);
    }

    @Test
    void optionsAreThoseOfTheFunction() {
        assertThatThrownBy(() -> stage.setOptions("deadline"))
                .hasMessage("an option must be name=value, got 'deadline'");
        assertThatThrownBy(() -> stage.setOptions("=5")).hasMessage("an option must be name=value, got '=5'");
        assertThatThrownBy(() -> stage.setOptions("explain=all"))
                .hasMessageStartingWith("an option must be one of deadline, parity, r, segments, ");
        assertThatThrownBy(() -> stage.setOptions("deadline=5s", "DEADLINE = 6s"))
                .hasMessage("every option must be given once, deadline is given as '5s' and as '6s': leave one out");
        stage.setOptions("mean=0.5,0.25", " deadline = 5s");
        assertThat(stage.getOrDefault(stage.options())).containsExactly("mean=0.5,0.25", " deadline = 5s");
    }

    @Test
    void transformAddsWhatTheFunctionAnswers() {
        Dataset<Row> answers = withParity().setPredictionCol("class").transform(DIGITS);
        assertThat(answers.schema()).isEqualTo(stage.transformSchema(DIGITS.schema()));
        assertThat(doubles(answers, "class")).containsExactly(classes());
        assertThat(answers.select("answer.outcome").distinct().collectAsList())
                .extracting(row -> row.getString(0))
                .containsExactly("predicted");
    }

    @Test
    void theFunctionGetsTheOptions() {
        withParity().setOptions("Deadline=5s").setBatchRows(-1);
        assertThat(stage.answers().toString())
                .contains("coded_predict(", "'deadline', '5s'", "'batchRows', '-1'", "'parity', ");
        assertThatThrownBy(() -> stage.transform(DIGITS))
                .hasMessageContaining(
                        "spark.paritas.engine.batchRows (option batchRows) must be a whole number of at least"
                                + " 0, got '-1'");
        stage.setBatchRows(7).setOnError("never");
        assertThatThrownBy(() -> stage.transform(DIGITS))
                .hasMessageContaining("must be one of fail, null, column, got 'never'");
    }

    @Test
    void aColumnMayHaveAnyName() {
        Dataset<Row> odd = DIGITS.withColumnRenamed("features", "a.b`c");
        withParity().setInputCols("a.b`c").setOutputCol("an.answer").setPredictionCol("cl.ass");
        assertThat(stage.transform(odd).columns()).containsExactly("a.b`c", "label", "an.answer", "cl.ass");
        assertThat(doubles(stage.transform(odd), "`cl.ass`")).containsExactly(classes());
    }

    @Test
    void evaluatorsTakeThePredictedClass() {
        Dataset<Row> answers = withParity().setPredictionCol("prediction").transform(DIGITS);
        double accuracy = Samples.examples(network(1), IMAGES).accuracy();
        assertThat(new MulticlassClassificationEvaluator()
                        .setMetricName("accuracy")
                        .evaluate(answers))
                .isEqualTo(accuracy);
    }

    @Test
    void whatIsNotPredictedHasNoClass() {
        Dataset<Row> damaged = DIGITS.withColumn("features", expr("if(label = 3, null, features)"));
        List<Row> rows = withParity()
                .setOnError("column")
                .setPredictionCol("class")
                .transform(damaged)
                .select("label", "answer.outcome", "answer.error", "class")
                .collectAsList();
        assertThat(rows).anyMatch(row -> row.getInt(0) == 3);
        for (Row row : rows) {
            boolean missing = row.getInt(0) == 3;
            assertThat(row.isNullAt(3)).isEqualTo(missing);
            assertThat(row.getString(1)).isEqualTo(missing ? "unavailable" : "predicted");
            assertThat(row.getString(2)).isEqualTo(missing ? "column 'features' must not be null" : null);
        }
    }

    @Test
    void theClassIsTheFirstOfTheLargestValues() {
        Dataset<Row> arrays = LocalSpark.session().sql("select array(float(3), float(-1), float(3)) as values");
        assertThat(arrays.select(InferenceModel.label(col("values"))).first().getDouble(0))
                .isEqualTo(0);
    }

    @Test
    void isReadBackWithItsParams() throws Exception {
        stage.setOutputCol("out").setPredictionCol("class").setBatchRows(7).setOptions("deadline=5s");
        String path = folder.resolve("stage").toString();
        stage.save(path);
        CodedInferenceModel read = CodedInferenceModel.load(path);
        assertThat(read.uid()).isEqualTo(stage.uid());
        assertThat(LocalSpark.values(read)).isEqualTo(LocalSpark.values(stage));
        assertThatThrownBy(() -> FoldedInferenceModel.load(path))
                .hasMessageContaining(FoldedInferenceModel.class.getName());
    }

    @Test
    void aSavedStageBelongsToItsModelFiles() throws Exception {
        String path = folder.resolve("stage").toString();
        stage.save(path);
        String before = ModelFile.read(file).sha256();
        network(2).write(file);
        String after = ModelFile.read(file).sha256();
        assertThatThrownBy(() -> CodedInferenceModel.load(path))
                .isInstanceOf(ModelException.class)
                .hasMessage("the model files of the saved stage " + path + " must not change, 'model' had the"
                        + " SHA-256 " + before + ", now it has " + after
                        + ": bring the file back, or make the stage again for the new one");
        Files.delete(file);
        assertThatThrownBy(() -> CodedInferenceModel.load(path)).hasMessageContaining("cannot read the model " + file);
    }

    @Test
    void whatIsNotSetYetCanBeSaved() throws Exception {
        String path = folder.resolve("stage").toString();
        new CodedInferenceModel("empty").save(path);
        assertThat(CodedInferenceModel.load(path).uid()).isEqualTo("empty");
    }

    @Test
    void worksInAPipeline() throws Exception {
        withParity().setPredictionCol("class");
        PipelineModel fitted =
                new Pipeline().setStages(new PipelineStage[] {stage}).fit(DIGITS);
        String path = folder.resolve("pipeline").toString();
        fitted.write().overwrite().save(path);
        Dataset<Row> answers = PipelineModel.load(path).transform(DIGITS);
        assertThat(answers.schema().fieldNames()).containsExactly("features", "label", "answer", "class");
        assertThat(doubles(answers, "class")).containsExactly(classes());
    }

    @Test
    void aCopyIsAnotherStageWithTheSameUid() {
        CodedInferenceModel copy =
                stage.copy(new ParamMap().put(stage.outputCol().w("other")));
        assertThat(copy.uid()).isEqualTo(stage.uid());
        assertThat(copy.getOrDefault(copy.outputCol())).isEqualTo("other");
        assertThat(copy.getOrDefault(copy.model())).isEqualTo(file.toString());
        assertThat(stage.getOrDefault(stage.outputCol())).isEqualTo("answer");
    }

    @Test
    void thereIsNoAccuracyWithoutParityModels() {
        assertThatThrownBy(stage::accuracy)
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "the accuracy is that of parity models, and there are none: set parity, or put parity.json or learned.json"
                                + " beside the model");
        assertThat(stage.hashes())
                .isEqualTo(Map.of("model", ModelFile.read(file).sha256()));
    }
}
