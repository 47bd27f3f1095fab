/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import io.paritas.inference.data.Samples;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Initialisation;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldedCnnTrainerTest {
    private static final Dataset<Row> DIGITS =
            LocalSpark.digits(Samples.digits(90, 1)).cache();

    @TempDir
    private Path folder;

    private Path output;
    private FoldedCnnTrainer trainer;

    @AfterAll
    static void stop() {
        LocalSpark.stop();
    }

    @BeforeEach
    void writeAModel() {
        Path file = folder.resolve("model.onnx");
        output = folder.resolve("folded");
        GraphBuilder graph = new GraphBuilder(1, Samples.SIDE, Samples.SIDE);
        Value features = graph.maxPool(graph.relu(graph.convolution(graph.input(), Convolution.same(4, 3))), 2, 2);
        Initialisation.HE
                .apply(graph.output(graph.linear(graph.flatten(features), 10)), 1)
                .toModelFile()
                .write(file);
        trainer = new FoldedCnnTrainer()
                .setModel(file.toString())
                .setInputCols("features")
                .setLabelCol("label")
                .setOutput(output.toString())
                .setDevice("cpu")
                .setEpochs(2);
    }

    @Test
    void fitWritesAFoldedNetworkAndGivesTheStageThatUsesIt() throws Exception {
        FoldedInferenceModel folded =
                trainer.setFold(3).setDistil(true).setCurriculum(1).setEpochs(8).fit(DIGITS);
        FoldedNetwork written = FoldedNetwork.read(output);
        assertThat(written.fold()).isEqualTo(3);
        assertThat(folded.accuracy())
                .isEqualTo(written.bundle().accuracy())
                .containsKeys("original", "folded", "drop", "same-in-another-order");
        assertThat(folded.getOrDefault(folded.model()))
                .isEqualTo(output.resolve("folded.json").toString());
        assertThat(folded.transformSchema(DIGITS.schema())).isEqualTo(trainer.transformSchema(DIGITS.schema()));
        assertThat(folded.transform(DIGITS)
                        .where("answer.outcome = 'predicted' and size(answer.prediction) = 10")
                        .count())
                .isEqualTo(90);

        String path = folder.resolve("stage").toString();
        folded.save(path);
        assertThat(FoldedInferenceModel.load(path).accuracy()).isEqualTo(folded.accuracy());
        trainer.setOverwrite(true).setSeed(2).fit(DIGITS);
        assertThatThrownBy(() -> FoldedInferenceModel.load(path))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("'folded' had the SHA-256 ");
    }

    @Test
    void labelsAreNeeded() {
        trainer.clear(trainer.labelCol());
        assertThatThrownBy(() -> trainer.fit(DIGITS))
                .hasMessage(trainer.uid()
                        + " needs labelCol, and it is not set: numeric column with the true classes, counted from 0");
    }

    @Test
    void whatDoesNotFitIsRefusedBeforeRowsAreCollected() {
        assertThatThrownBy(() -> trainer.setFold(0).fit(DIGITS)).hasMessage("a fold must be at least 1, got 0");
        assertThatThrownBy(() -> trainer.setFold(2).setMultiplier(0).fit(DIGITS))
                .hasMessage("the multiplier of channels must be above 0, got 0.0");
        assertThatThrownBy(() -> trainer.setMultiplier(1).setInit("ones").fit(DIGITS))
                .hasMessage("init must be one of pytorch, xavier, he, got 'ones'");
        assertThat(output).doesNotExist();
    }

    @Test
    void aTrainingThatEndsBeforeItsCurriculumIsRefusedBeforeRowsAreCollected() {
        assertThatThrownBy(() ->
                        trainer.setMaxRows(1).setCurriculum(1).setEpochs(8).fit(DIGITS))
                .hasMessage(
                        "a curriculum must have all classes before the training ends: with 2 of 10 classes at first,"
                                + " and 1 more every 1 epochs, all are there from epoch 9 on, and the last one is 8: train longer,"
                                + " or add classes more often");
        assertThat(output).doesNotExist();
    }

    @Test
    void aModelThatCannotBeFoldedIsRefusedBeforeRowsAreCollected() {
        Path probabilities = folder.resolve("probabilities.onnx");
        Samples.probabilities().toModelFile().write(probabilities);
        trainer.setModel(probabilities.toString()).setDistil(true).setMaxRows(1);
        assertThatThrownBy(() -> trainer.fit(DIGITS))
                .hasMessage("a network with Softmax 'output' cannot be folded by 2: it would mix the scores of the 2"
                        + " images: export raw scores");
    }

    @Test
    void isReadBackWithItsParams() throws Exception {
        String path = folder.resolve("trainer").toString();
        trainer.setMultiplier(1.5).setDistil(true).save(path);
        assertThat(LocalSpark.values(FoldedCnnTrainer.load(path))).isEqualTo(LocalSpark.values(trainer));
    }
}
