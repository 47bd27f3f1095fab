/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.data.Samples;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.folded.FoldedTraining.Recipe;
import io.paritas.inference.folded.FoldedTraining.Teacher;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class FoldedTrainingTest {
    private static final TrainOptions OPTIONS =
            TrainOptions.DEFAULT.withBatch(32).on(Device.CPU, 1);
    private static final ModelFile ORIGINAL =
            Initialisation.HE.apply(convolutional(), 1).toModelFile();
    private static final Examples TRAIN = Samples.examples(ORIGINAL, Samples.digits(1200, 1));
    private static final Examples VALIDATION = Samples.examples(ORIGINAL, Samples.digits(201, 2));

    @TempDir
    private Path folder;

    @Test
    void learnsLabels() {
        FoldedTraining.Result result = train(2, Teacher.LABELS, Curriculum.NONE, 25);
        assertThat(result.training().best().score()).isGreaterThan(0.5);
        Map<String, Double> measured = result.network().measure(VALIDATION, ModelOptions.DEFAULT);
        assertThat(measured.get("folded"))
                .as("the engine, with a stack that is not full, as the training with full ones")
                .isBetween(
                        result.training().best().score() - 0.02,
                        result.training().best().score() + 0.02);
        assertThat(measured.get("same-in-another-order")).isBetween(0.3, 1.0);
        assertThat(measured.get("drop")).isEqualTo(measured.get("original") - measured.get("folded"));
    }

    @Test
    void learnsWhatTheOriginalAnswers() {
        FoldedTraining.Result result = train(3, Teacher.ORIGINAL, Curriculum.NONE, 5);
        assertThat(result.training().epochs().get(4).loss())
                .isLessThan(result.training().epochs().get(0).loss() / 2);
    }

    /** The training would take another softmax of it; one image in a stack is the network itself. */
    @Test
    void probabilitiesDoNotLearnLabels() {
        Graph graph = RawGraph.of(1, Samples.SIDE, Samples.SIDE)
                .weight("w", Samples.SIDE * Samples.SIDE, 10)
                .node("Flatten", "row", "input")
                .node("MatMul", "scores", "row", "w")
                .node("Softmax", "output", "scores")
                .build();
        assertThatThrownBy(() -> FoldedTraining.train(
                        new DeployedModel(graph.toModelFile(), graph.input(), graph.output()),
                        new Recipe(FoldOptions.of(1), Teacher.LABELS, Curriculum.NONE, Initialisation.HE),
                        new TrainingExamples(TRAIN, VALIDATION, "digits"),
                        TrainOptions.DEFAULT.on(Device.CPU, 1).withEpochs(1),
                        Optional.empty(),
                        Progress.NONE))
                .isInstanceOf(ModelException.class)
                .hasMessage("training on labels takes the softmax of the model's outputs, but the model ends in Softmax"
                        + " 'output': export raw scores");
    }

    @Test
    void labelsAreClassesOfTheOriginal() {
        try (Model model = ModelEngines.load(ORIGINAL, ModelOptions.DEFAULT)) {
            int classes = model.output().size();
            Examples digits = Samples.examples(ORIGINAL, Samples.digits(20, 1));
            digits.labels().orElseThrow()[3] = classes;
            assertThatThrownBy(() -> FoldedTraining.train(
                            DeployedModel.of(ORIGINAL, model),
                            new Recipe(FoldOptions.of(2), Teacher.LABELS, Curriculum.NONE, Initialisation.HE),
                            new TrainingExamples(digits, VALIDATION, "digits"),
                            OPTIONS.withEpochs(1),
                            Optional.empty(),
                            Progress.NONE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a label must be the index of one of the model's " + classes
                            + " outputs, row 3 for training has " + classes + ": number the classes from 0");
        }
    }

    /** No learning rate would help. */
    @Test
    void nothingIsLearnedOfAnAnswerThatIsNotFinite() {
        try (Model model = ModelEngines.load(ORIGINAL, ModelOptions.DEFAULT)) {
            assertThatThrownBy(() -> FoldedTraining.train(
                            DeployedModel.of(ORIGINAL, model),
                            new Recipe(FoldOptions.of(2), Teacher.ORIGINAL, Curriculum.NONE, Initialisation.HE),
                            new TrainingExamples(Samples.infinite(20, 7), VALIDATION, "digits"),
                            OPTIONS.withEpochs(1),
                            Optional.empty(),
                            Progress.NONE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("every prediction must be finite, row 7 has Infinity: leave that row out");
        }
    }

    @Test
    void oneImageInAStackIsAnOrdinaryNetwork() {
        FoldedTraining.Result result = train(1, Teacher.LABELS, Curriculum.NONE, 2);
        assertThat(result.network().measure(VALIDATION, ModelOptions.DEFAULT))
                .containsEntry("same-in-another-order", 1.0);
    }

    @Test
    void theBestEpochHasAllClasses() {
        FoldedTraining.Result result = train(2, Teacher.LABELS, new Curriculum(4, 3, 2), 6);
        assertThat(result.training().best().number()).isGreaterThanOrEqualTo(5);
    }

    /** Or the network would know only some of the classes, and nobody would say so. */
    @Test
    void aTrainingThatEndsBeforeAllClassesAreThereIsRefused() {
        assertThatThrownBy(() -> train(2, Teacher.LABELS, new Curriculum(4, 3, 2), 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a curriculum must have all classes before the training ends: with 4 of 10 classes at"
                        + " first, and 3 more every 2 epochs, all are there from epoch 5 on, and the last one is 4:"
                        + " train longer, or add classes more often");
        assertThat(train(2, Teacher.LABELS, new Curriculum(4, 3, 2), 5)
                        .training()
                        .best()
                        .number())
                .isEqualTo(5);
    }

    @Test
    void aCheckpointFromOtherFreshWeightsIsRefused() {
        Path checkpoint = folder.resolve("folded.checkpoint");
        train(Initialisation.XAVIER, Optional.of(checkpoint));
        assertThatThrownBy(() -> train(Initialisation.HE, Optional.of(checkpoint)))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a checkpoint must be of the same training, " + checkpoint)
                .hasMessageContaining("XAVIER")
                .hasMessageContaining("HE");
    }

    private static void train(Initialisation init, Optional<Path> checkpoint) {
        try (Model model = ModelEngines.load(ORIGINAL, ModelOptions.DEFAULT)) {
            FoldedTraining.train(
                    DeployedModel.of(ORIGINAL, model),
                    new Recipe(FoldOptions.of(2), Teacher.LABELS, Curriculum.NONE, init),
                    new TrainingExamples(TRAIN, VALIDATION, "digits"),
                    OPTIONS.withEpochs(1),
                    checkpoint,
                    Progress.NONE);
        }
    }

    @Test
    void isReadBackAndBelongsToOneModel() throws Exception {
        FoldedNetwork written = train(2, Teacher.LABELS, Curriculum.NONE, 1).network();
        Path descriptor = written.bundle().write(folder);
        FoldedNetwork read = FoldedNetwork.read(descriptor);
        assertThat(read.fold()).isEqualTo(2);
        read.bundle().requireFor(ORIGINAL);
        assertThatThrownBy(() -> read.bundle().requireFor(read.model()))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a folded bundle works only with the model that it was made for");
        try (Model one = written.load(ModelOptions.DEFAULT);
                Model other = read.load(ModelOptions.DEFAULT)) {
            assertThat(Predictions.of(one, VALIDATION.inputs()).row(200))
                    .containsExactly(Predictions.of(other, VALIDATION.inputs()).row(200));
        }
        Files.writeString(descriptor, Files.readString(descriptor).replace("\"fold\" : \"2\"", "\"fold\" : \"two\""));
        assertThatThrownBy(() -> FoldedNetwork.read(descriptor))
                .hasMessage("'fold' of a folded descriptor must be a number, got two");
        Files.writeString(descriptor, Files.readString(descriptor).replace("\"fold\" : \"two\"", "\"fold\" : \"0\""));
        assertThatThrownBy(() -> FoldedNetwork.read(descriptor))
                .hasMessage("the folded network's descriptor is damaged: a fold is at least 1, it says 0");
    }

    private static FoldedTraining.Result train(int fold, Teacher teacher, Curriculum curriculum, int epochs) {
        try (Model model = ModelEngines.load(ORIGINAL, ModelOptions.DEFAULT)) {
            return FoldedTraining.train(
                    DeployedModel.of(ORIGINAL, model),
                    new Recipe(FoldOptions.of(fold), teacher, curriculum, Initialisation.XAVIER),
                    new TrainingExamples(TRAIN, VALIDATION, "digits"),
                    OPTIONS.withEpochs(epochs),
                    Optional.empty(),
                    Progress.NONE);
        }
    }

    private static Graph convolutional() {
        GraphBuilder graph = new GraphBuilder(1, Samples.SIDE, Samples.SIDE);
        Value features = graph.maxPool(graph.relu(graph.convolution(graph.input(), Convolution.same(8, 3))), 2, 2);
        return graph.output(graph.linear(graph.hidden(graph.flatten(features), 32), 10));
    }
}
