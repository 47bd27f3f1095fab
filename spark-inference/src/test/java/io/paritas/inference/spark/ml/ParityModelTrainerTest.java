/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Logged;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.Samples;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.Target;
import io.paritas.inference.train.ClaimedFolder;
import io.paritas.inference.train.TrainingFiles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.functions;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.collection.Seq;

class ParityModelTrainerTest {
    private static final Dataset<Row> DIGITS =
            LocalSpark.digits(Samples.digits(80, 1)).cache();
    private static final int VALUES = Samples.SIDE * Samples.SIDE;

    @TempDir
    private Path folder;

    private Path file;
    private Path output;
    private ParityModelTrainer trainer;

    @AfterAll
    static void stop() {
        LocalSpark.stop();
    }

    @BeforeEach
    void writeAModel() {
        file = folder.resolve("model.onnx");
        output = folder.resolve("models").resolve("parity");
        Initialisation.HE.apply(Samples.network(), 1).toModelFile().write(file);
        trainer = new ParityModelTrainer()
                .setModel(file.toString())
                .setInputCols("features")
                .setOutput(output.toString())
                .setDevice("cpu")
                .setEpochs(2);
    }

    @Test
    void everyParamIsFoundAndKnowsItsStageAndClass() {
        assertThat(Arrays.stream(trainer.params()).map(Param::name))
                .contains(
                        "model",
                        "inputCols",
                        "labelCol",
                        "output",
                        "k",
                        "r",
                        "encoder",
                        "target",
                        "start",
                        "epochs",
                        "seed")
                .hasSize(24);
        for (Param<?> param : trainer.params()) {
            assertThat(param.parent()).isEqualTo(trainer.uid());
            assertThat(param.dataClass())
                    .as(param.name())
                    .isIn(String.class, String[].class, int.class, long.class, double.class, boolean.class);
        }
    }

    @Test
    void fitWritesParityModelsAndGivesTheStageThatUsesThem() throws Exception {
        trainer.setOutputCol("out").setPredictionCol("class").setOptions("deadline=5s");
        CodedInferenceModel coded;
        try (Logged logged = new Logged(ModelTrainer.class.getName())) {
            coded = trainer.fit(DIGITS);
            assertThat(logged.lines())
                    .containsExactly("WARN " + trainer.uid() + ": its accuracy is measured with 4 groups of 2 rows,"
                            + " which tell it roughly: 100 need 2000 rows");
        }
        ParityModels written = ParityModels.read(output);
        assertThat(written.plan().code().k()).isEqualTo(2);
        assertThat(written.plan().encoding()).isEqualTo(Encoding.ADDITION);
        assertThat(written.plan().target()).isEqualTo(Target.OUTPUTS);
        written.bundle().requireFor(ModelFile.read(file));
        assertThat(written.bundle().training()).containsEntry("start", "MODEL");
        assertThat(written.bundle().training().get("data"))
                .matches("80 rows of columns \\[features] with the CRC-32C [0-9a-f]{8}, 16 of them held back;"
                        + " right is what the model said");
        assertThat(coded.accuracy())
                .isEqualTo(written.bundle().accuracy())
                .containsEntry("available", 1.0)
                .containsKeys("degraded.1-lost", "agreement.1-lost");
        assertThat(coded.uid()).isEqualTo(trainer.uid());
        assertThat(coded.parent()).isSameAs(trainer);
        assertThat(coded.getOrDefault(coded.model())).isEqualTo(file.toString());
        assertThat(coded.getOrDefault(coded.parity()))
                .isEqualTo(output.resolve("parity.json").toString());
        assertThat(coded.transformSchema(DIGITS.schema())).isEqualTo(trainer.transformSchema(DIGITS.schema()));

        String path = folder.resolve("stage").toString();
        coded.save(path);
        assertThat(CodedInferenceModel.load(path).accuracy()).isEqualTo(coded.accuracy());
        Initialisation.HE.apply(Samples.network(), 2).toModelFile().write(output.resolve("parity-0.onnx"));
        assertThatThrownBy(() -> CodedInferenceModel.load(path))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("the model 'parity-0' must have the SHA-256 ");
        trainer.setOverwrite(true).setSeed(2).fit(DIGITS);
        assertThatThrownBy(() -> CodedInferenceModel.load(path))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("'parity-0' had the SHA-256 ");
    }

    @Test
    void labelsTellWhatIsRight() {
        CodedInferenceModel coded =
                trainer.setLabelCol("label").setTarget("Labels").setR(2).fit(DIGITS);
        assertThat(coded.accuracy()).containsKey("degraded.2-lost");
        assertThat(ParityModels.read(output).bundle().training()).containsEntry("start", "FRESH");
        assertThat(coded.accuracy().get("available")).isLessThan(1);
    }

    @Test
    void theSameRowsTrainTheSameModelsInWhateverColumnsTheyAre() {
        trainer.fit(DIGITS);
        String expected = ParityModels.read(output).model(0).sha256();
        UDF1<Seq<Float>, byte[]> bytes = values -> {
            ByteBuffer buffer = ByteBuffer.allocate(VALUES * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            values.foreach(value -> buffer.putFloat(value));
            return buffer.array();
        };
        LocalSpark.session().udf().register("as_bytes", bytes, DataTypes.BinaryType);
        trainer.setOverwrite(true);
        for (Dataset<Row> same : new Dataset[] {
            DIGITS.withColumn("features", functions.array_to_vector(col("features"))),
            DIGITS.selectExpr("as_bytes(features) as features"),
        }) {
            trainer.fit(same);
            assertThat(ParityModels.read(output).model(0).sha256()).isEqualTo(expected);
        }
    }

    @Test
    void whatDoesNotFitIsRefusedBeforeRowsAreCollected() {
        String uid = trainer.uid();
        assertRefused(
                copy().setInputCols("image"),
                uid + ": there must be a column 'image', which inputCols names; there are" + " [features, label]");
        assertRefused(
                copy().setTarget("labels"),
                uid + " needs labelCol, and it is not set: numeric column with the true" + " classes, counted from 0");
        assertRefused(copy().setTarget("truth"), "target must be one of outputs, labels, distribution, got 'truth'");
        assertRefused(copy().setStart("zero"), "start must be one of model, fresh, got 'zero'");
        assertRefused(
                copy().setLabelCol("features"),
                "labelCol must be numeric, column 'features' is array<float>: use a"
                        + " StringIndexer, in the order of the model's classes");
        assertRefused(copy().setMaxRows(0), "maxRows must be at least 1 and below 2147483647, got 0");
        assertRefused(copy().setEpochs(0), "epochs must be at least 1, got 0");
        assertRefused(
                copy().setOutput("hdfs:///models/parity"),
                "output must be a folder of the driver, got 'hdfs:///models/parity': choose one, and copy it there");
        assertRefused(
                copy().setOptions("parity=x"),
                "every option must be given once, parity is given as 'x' and as '" + output + "': leave one out");
        ParityModelTrainer without = copy();
        without.clear(without.output());
        assertRefused(
                without, uid + " needs output, and it is not set: folder of the driver where the trained models go");
        assertThat(output).doesNotExist();
    }

    private ParityModelTrainer copy() {
        return trainer.copy(ParamMap.empty());
    }

    private static void assertRefused(ParityModelTrainer trainer, String message) {
        assertThatThrownBy(() -> trainer.transformSchema(DIGITS.schema()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> trainer.fit(DIGITS)).hasMessage(message);
    }

    @Test
    void rowsThatCannotBeTrainedOnAreRefused() {
        assertThatThrownBy(() -> copy().setMaxRows(79).fit(DIGITS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a training in the driver takes maxRows = 79 rows at most, and the dataset has more: sample it"
                                + " (dataset.sample, dataset.limit), or raise maxRows and give the driver memory for"
                                + " them");
        assertThatThrownBy(() -> trainer.fit(DIGITS.limit(5)))
                .hasMessage(
                        "training, choosing the best epoch and measuring need 2 rows each, together 6; the dataset has"
                                + " 5: take more");
        assertThatThrownBy(() -> trainer.fit(with("cast(null as array<float>)", "label")))
                .hasMessage("every row must be an input of the model, row 0 is not: column 'features' must not be null;"
                        + " leave such rows out");
        assertThatThrownBy(() -> trainer.fit(with("transform(features, x -> float('NaN'))", "label")))
                .hasMessage("every value of an input must be a finite number, row 0 has NaN: leave such rows out");
        for (String label : new String[] {"10", "-1", "0.5", "null"}) {
            assertThatThrownBy(() -> copy().setLabelCol("label").fit(with("features", "cast(" + label + " as double)")))
                    .hasMessage("a label must be the index of one of the model's 10 outputs, column 'label' has "
                            + (label.equals("null") ? label : String.valueOf(Double.parseDouble(label)))
                            + ": number the classes from 0");
        }
    }

    private static Dataset<Row> with(String features, String label) {
        return DIGITS.selectExpr(features + " as features", label + " as label");
    }

    @Test
    void whatIsThereIsKept() {
        trainer.fit(DIGITS);
        assertThatThrownBy(() -> trainer.fit(DIGITS))
                .hasMessage("output must have no parity.json yet, " + output
                        + " has one: choose another folder, or set overwrite");
        assertThat(Files.exists(output.resolve("parity-0.checkpoint"))).isFalse();
    }

    @Test
    void aModelOfTheUserIsKept() throws Exception {
        Path own = Files.createDirectories(output).resolve("parity-0.onnx");
        Files.writeString(own, "mine");

        assertThatThrownBy(() -> trainer.fit(DIGITS))
                .hasMessage("output must have no parity-0.onnx yet, " + output
                        + " has one: choose another folder, or set overwrite");
        assertThat(own).hasContent("mine");
    }

    @Test
    void oneTrainingAtATimeHasAFolder() throws Exception {
        try (ClaimedFolder other = TrainingFiles.parity(1).claim(output)) {
            assertThatThrownBy(() -> trainer.setOverwrite(true).fit(DIGITS))
                    .hasMessage("one training or calibration at a time writes into " + output
                            + ", and another one holds parity-0.checkpoint.lock: wait until it has ended");
        }
        assertThat(output).as("nothing was written").doesNotExist();
        assertThatThrownBy(() -> trainer.fit(DIGITS.limit(5))).hasMessageContaining("the dataset has 5: take more");
        assertThat(output).as("nothing was written").doesNotExist();
    }

    /** A checkpoint is refused where they are scaled otherwise. */
    @Test
    void whatRowsAreScaledByIsPartOfWhatATrainingIs() throws Exception {
        trainer.setOptions("scale=0.5", "mean=0.25", "std=2").fit(DIGITS);
        assertThat(ParityModels.read(output).bundle().training().get("data"))
                .startsWith("80 rows of columns [features] scaled by 0.5, mean [0.25], std [2.0], with the CRC-32C ");
    }

    @Test
    void aModelThatDoesNotFitTheTargetIsRefusedBeforeRowsAreCollected() {
        Path probabilities = folder.resolve("probabilities.onnx");
        Samples.probabilities().toModelFile().write(probabilities);
        trainer.setModel(probabilities.toString())
                .setLabelCol("label")
                .setTarget("labels")
                .setMaxRows(1);
        assertThatThrownBy(() -> trainer.fit(DIGITS))
                .hasMessage("the target LABELS takes the softmax of the model's outputs, but the model ends in Softmax"
                        + " 'output': export raw scores");
    }

    @Test
    void isReadBackWithItsParams() throws Exception {
        String path = folder.resolve("trainer").toString();
        trainer.setK(3).setSeed(5).setLearningRate(0.01).save(path);
        ParityModelTrainer read = ParityModelTrainer.load(path);
        assertThat(read.uid()).isEqualTo(trainer.uid());
        assertThat(LocalSpark.values(read)).isEqualTo(LocalSpark.values(trainer));
    }

    @Test
    void isAStageOfAPipeline() throws Exception {
        Pipeline pipeline = new Pipeline().setStages(new PipelineStage[] {trainer});
        StructType schema = pipeline.transformSchema(DIGITS.schema());
        assertThat(schema.fieldNames()).containsExactly("features", "label", "answer");
        String path = folder.resolve("pipeline").toString();
        pipeline.save(path);
        PipelineStage stage = Pipeline.load(path).fit(DIGITS).stages()[0];
        assertThat(stage).isInstanceOf(CodedInferenceModel.class);
    }
}
