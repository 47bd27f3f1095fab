/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

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
import io.paritas.inference.data.ImageInputs;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Normalization;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.data.Samples;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.TorchScripts;
import io.paritas.inference.train.ClassifierObjective;
import io.paritas.inference.train.ClassifierObjective.Classifier;
import io.paritas.inference.train.ClassifierObjective.Labelled;
import io.paritas.inference.train.ClassifierObjective.TrainingSets;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.RawScores;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import io.paritas.inference.train.Training;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ParityTrainingTest {
    private static final TrainOptions OPTIONS = TrainOptions.DEFAULT.on(Device.CPU, 1);
    private static final ImageSet TRAIN = Samples.digits(1500, 1);
    private static final ImageSet VALIDATION = Samples.digits(300, 2);
    private static final ImageSet TEST = Samples.digits(300, 3);

    private static DeployedModel deployed;

    @TempDir
    private Path folder;

    @BeforeAll
    static void trainADeployedModel() {
        LibTorch.start(Device.CPU, 1);
        Graph fresh = Initialisation.PYTORCH.apply(Samples.network(), 1);
        try (ClassifierObjective objective = new ClassifierObjective(
                "deployed",
                Classifier.of(GraphNetwork.trainable(fresh, Device.CPU), 10, Device.CPU),
                TrainingSets.of(labelled(TRAIN), labelled(VALIDATION)),
                Curriculum.NONE)) {
            ModelFile file = Trainer.train(objective, OPTIONS.withEpochs(20), Optional.empty(), Progress.NONE)
                    .networks()
                    .get(0);
            try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT)) {
                deployed = DeployedModel.of(file, model);
            }
        }
    }

    @Test
    void reconstructsPredictionsThatTheDeployedModelWouldHaveMade() {
        ParityModels models = train(new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS), 300);
        assertThat(models.range()).isEqualTo(InputRange.of(examples(TRAIN).inputs()));
        DegradedAccuracy measured = models.measure(examples(TEST), ModelOptions.DEFAULT);
        assertThat(measured.groups()).isEqualTo(150);
        assertThat(measured.degraded().get(0)).isGreaterThan(0.5);
        assertThat(measured.agreement().get(0)).isGreaterThan(0.5);
        assertThat(measured.defaultAnswer()).isBetween(0.1, 0.2);
        assertThat(measured.overall(0.1))
                .isEqualTo(
                        0.9 * measured.available() + 0.1 * measured.degraded().get(0));
    }

    @Test
    void bothOfTwoArePossibleWithTwoParities() {
        ParityModels models = train(new ParityPlan(new Combinations(2, 2), Encoding.ADDITION, Target.OUTPUTS), 300);
        DegradedAccuracy measured = models.measure(examples(TEST), ModelOptions.DEFAULT);
        assertThat(measured.degraded()).hasSize(2);
        assertThat(measured.degraded().get(1)).isGreaterThan(0.3);
    }

    @Test
    void labelsCanBeTheTarget() {
        for (Target target : new Target[] {Target.LABELS, Target.DISTRIBUTION}) {
            ParityModels models = train(new ParityPlan(new Combinations(2, 1), Encoding.CONCATENATION, target), 100);
            assertThat(models.measure(examples(TEST), ModelOptions.DEFAULT)
                            .degraded()
                            .get(0))
                    .as("%s", target)
                    .isGreaterThan(0.4);
        }
    }

    @Test
    void aParityModelThatStartsFromTheDeployedOneLearnsSooner() {
        for (Encoding encoding : Encoding.values()) {
            ParityPlan plan = new ParityPlan(new Combinations(2, 1), encoding, Target.OUTPUTS);
            double fresh = degraded(train(plan, Start.FRESH, 20));
            assertThat(degraded(train(plan, Start.MODEL, 20)))
                    .as("%s", encoding)
                    .isGreaterThan(fresh + 0.05);
        }
    }

    private static double degraded(ParityModels models) {
        return models.measure(examples(TEST), ModelOptions.DEFAULT).degraded().get(0);
    }

    @Test
    void labelsStartFromFreshWeightsUnlessToldOtherwise() {
        assertThat(Start.usual(Target.OUTPUTS)).isEqualTo(Start.MODEL);
        assertThat(Start.usual(Target.DISTRIBUTION)).isEqualTo(Start.MODEL);
        assertThat(Start.usual(Target.LABELS)).isEqualTo(Start.FRESH);
    }

    @Test
    void aSeedRepeats() {
        ParityPlan plan = new ParityPlan(new Combinations(3, 1), Encoding.ADDITION, Target.OUTPUTS);
        assertThat(train(plan, 2).model(0).sha256())
                .isEqualTo(train(plan, 2).model(0).sha256());
    }

    @Test
    void theFirstModelIsKeptWhenTheTrainingOfTheSecondIsInterrupted() {
        List<Integer> starts = new ArrayList<>();
        assertThatThrownBy(() -> trainTwo(new Progress() {
                    @Override
                    public void started(String what, int epochs, int resumedAfter) {
                        starts.add(resumedAfter);
                    }

                    @Override
                    public void batch(int epoch, int done, int batches, double loss) {
                        if (starts.size() == 2 && epoch == 2) {
                            throw new IllegalStateException("power cut");
                        }
                    }
                }))
                .hasMessage("power cut");
        ParityTraining.Result result = trainTwo(new Progress() {
            @Override
            public void started(String what, int epochs, int resumedAfter) {
                starts.add(resumedAfter);
            }
        });
        assertThat(starts).as("fresh, then from their checkpoints").containsExactly(0, 0, 3, 1);
        Training.deleteCheckpoints(result.trainings());
        assertThat(folder).isEmptyDirectory();
    }

    /** The first model may take hours, and would be for nothing. */
    @Test
    void checkpointsOfOtherTrainingsAreRefusedBeforeTheFirstEpoch() throws Exception {
        trainTwo(Progress.NONE);
        Path first = folder.resolve("parity-0.checkpoint");
        Path second = folder.resolve("parity-1.checkpoint");
        Progress never = new Progress() {
            @Override
            public void started(String what, int epochs, int resumedAfter) {
                throw new AssertionError("nothing starts: " + what);
            }
        };
        assertThatThrownBy(() -> trainTwo("other digits", never))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(
                        "a checkpoint must be of the same training, " + first + " is of\n  parity-0 of ")
                .hasMessageContaining("\n, " + second + " is of\n  parity-1 of ")
                .hasMessageEndingWith(": delete these files to start again");
        Files.delete(first);
        assertThatThrownBy(() -> trainTwo("other digits", never))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(
                        "a checkpoint must be of the same training, " + second + " is of\n  parity-1 of ")
                .hasMessageEndingWith("\n: delete the file to start again");
        assertThat(second).as("kept").exists();
    }

    private ParityTraining.Result trainTwo(Progress progress) {
        return trainTwo("digits", progress);
    }

    private ParityTraining.Result trainTwo(String data, Progress progress) {
        return ParityTraining.train(
                deployed,
                new ParityPlan(new Combinations(2, 2), Encoding.ADDITION, Target.OUTPUTS),
                Start.MODEL,
                new TrainingExamples(examples(TRAIN), examples(VALIDATION), data),
                OPTIONS.withEpochs(3),
                Optional.of(folder),
                progress);
    }

    @Test
    void loggedQueriesWillDoButLabelsAreWantedWhereTheyAreTheTarget() {
        Examples logged = examples(TRAIN);
        Examples unlabelled = new Examples(logged.inputs(), logged.predictions(), Optional.empty());
        ParityPlan outputs = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        assertThat(ParityTraining.train(
                                deployed,
                                outputs,
                                Start.FRESH,
                                new TrainingExamples(unlabelled, unlabelled, "log"),
                                OPTIONS.withEpochs(1),
                                Optional.empty(),
                                Progress.NONE)
                        .models()
                        .bundle()
                        .accuracy())
                .containsEntry("validation.available", 1.0);
        ParityPlan labels = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.LABELS);
        assertThatThrownBy(() -> ParityTraining.train(
                        deployed,
                        labels,
                        Start.FRESH,
                        new TrainingExamples(unlabelled, unlabelled, "log"),
                        OPTIONS,
                        Optional.empty(),
                        Progress.NONE))
                .hasMessage("the target LABELS needs true labels, and these examples have none");
    }

    /** LibTorch would compare each answer with the targets of all groups. */
    @Test
    void answersMayHaveMoreDimensions() {
        for (Target target : Target.values()) {
            assertThat(lossOfPooled(false, target)).as("%s", target).isEqualTo(lossOfPooled(true, target));
        }
    }

    /** Of a network that ends in ten images of one pixel, or in ten values. */
    private static double lossOfPooled(boolean flat, Target target) {
        GraphBuilder net = new GraphBuilder(1, Samples.SIDE, Samples.SIDE);
        GraphBuilder.Value pooled = net.globalAveragePool(net.convolution(net.input(), Convolution.same(10, 3)));
        Graph graph = Initialisation.PYTORCH.apply(net.output(flat ? net.flatten(pooled) : pooled), 1);
        ParityTraining.Result result = ParityTraining.train(
                new DeployedModel(graph.toModelFile(), graph.input(), graph.output()),
                new ParityPlan(new Combinations(2, 1), Encoding.CONCATENATION, target),
                Start.MODEL,
                new TrainingExamples(examples(TRAIN.limit(100)), examples(VALIDATION.limit(20)), "digits"),
                OPTIONS.withEpochs(1),
                Optional.empty(),
                Progress.NONE);
        return result.trainings().get(0).best().loss();
    }

    /** Its softmax would be taken twice. */
    @Test
    void labelsAreNoTargetForAModelOfProbabilities() {
        Graph graph = RawGraph.of(4)
                .weight("w", 4, 3)
                .node("MatMul", "scores", "input", "w")
                .node("Softmax", "probabilities", "scores")
                .node("Identity", "output", "probabilities")
                .build();
        DeployedModel probabilities = new DeployedModel(graph.toModelFile(), graph.input(), graph.output());
        Examples four = new Examples(
                Inputs.of(new float[8], List.of(4)), Predictions.of(new float[6], 3), Optional.of(new int[2]));
        assertThatThrownBy(() -> ParityTraining.train(
                        probabilities,
                        new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.LABELS),
                        Start.FRESH,
                        new TrainingExamples(four, four, "rows"),
                        OPTIONS,
                        Optional.empty(),
                        Progress.NONE))
                .isInstanceOf(ModelException.class)
                .hasMessage("the target LABELS takes the softmax of the model's outputs, but the model ends in Softmax"
                        + " 'probabilities': export raw scores");
    }

    /** What a program ends in is not to be seen, but what it answers is. */
    @Test
    void aTorchScriptModelOfScoresMayLearnLabelsAndOneOfProbabilitiesMayNot() {
        ModelFile script = TorchScripts.write(Graph.of(deployed.file()));
        TrainingExamples scores = new TrainingExamples(examples(TRAIN.limit(100)), examples(VALIDATION), "digits");
        RawScores.require(script, scores.train().predictions(), "the target LABELS");
        float[] halves = {0.5f, 0.5f, 0.25f, 0.75f};
        assertThatThrownBy(() -> RawScores.require(script, Predictions.of(halves, 2), "the target LABELS"))
                .isInstanceOf(ModelException.class)
                .hasMessage("the target LABELS takes the softmax of the model's outputs, but all of its answers are"
                        + " probabilities already, rows that sum to 1: export raw scores");
    }

    /** Its weight would be added to the target of the group beside it. */
    @Test
    void aLabelIsAClassOfTheModel() {
        for (Target target : Target.values()) {
            Examples digits = examples(TRAIN.limit(20));
            digits.labels().orElseThrow()[7] = 10;
            assertThatThrownBy(() -> ParityTraining.train(
                            deployed,
                            new ParityPlan(new Combinations(2, 1), Encoding.CONCATENATION, target),
                            Start.FRESH,
                            new TrainingExamples(digits, examples(VALIDATION), "digits"),
                            OPTIONS.withEpochs(1),
                            Optional.empty(),
                            Progress.NONE))
                    .as("%s", target)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a label must be the index of one of the model's 10 outputs, row 7 for training has 10:"
                            + " number the classes from 0");
        }
    }

    @Test
    void lessThanAGroupCannotBeTrainedOn() {
        Examples one = examples(TRAIN.limit(1));
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        assertThatThrownBy(() -> ParityTraining.train(
                        deployed,
                        plan,
                        Start.FRESH,
                        new TrainingExamples(one, examples(VALIDATION), "one"),
                        OPTIONS,
                        Optional.empty(),
                        Progress.NONE))
                .isInstanceOf(ModelException.class)
                .hasMessage("an epoch must have at least one group of 2 samples, got 1: use more data");
    }

    /** No learning rate would help. Labels are learned without predictions. */
    @Test
    void nothingIsLearnedOfAPredictionThatIsNotFinite() {
        assertThatThrownBy(() -> trainOnInfinity(Target.OUTPUTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("every prediction must be finite, row 7 has Infinity: leave that row out");
        assertThat(trainOnInfinity(Target.LABELS).trainings()).hasSize(1);
    }

    private static ParityTraining.Result trainOnInfinity(Target target) {
        return ParityTraining.train(
                deployed,
                new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, target),
                Start.FRESH,
                new TrainingExamples(Samples.infinite(20, 7), examples(VALIDATION), "digits"),
                OPTIONS.withEpochs(1),
                Optional.empty(),
                Progress.NONE);
    }

    @Test
    void aBundleIsReadBackAndBelongsToOneModel() throws Exception {
        ParityPlan plan = new ParityPlan(new Combinations(2, 2), Encoding.CONCATENATION, Target.OUTPUTS);
        ParityModels written = train(plan, 1);
        Path descriptor = written.bundle().write(folder);
        assertThat(descriptor).isEqualTo(folder.resolve("parity.json"));
        for (Path path : new Path[] {folder, descriptor}) {
            ParityModels read = ParityModels.read(path);
            assertThat(read.plan()).isEqualTo(plan);
            assertThat(read.model(1).sha256()).isEqualTo(written.model(1).sha256());
            assertThat(read.bundle()).usingRecursiveComparison().isEqualTo(written.bundle());
            assertThat(read.bundle().requireFor(deployed.file())).isSameAs(read.bundle());
        }
        ModelFile other = Initialisation.HE.apply(Samples.network(), 9).toModelFile();
        assertThatThrownBy(() -> written.bundle().requireFor(other))
                .isInstanceOf(ModelException.class)
                .hasMessage("a parity bundle works only with the model that it was made for, with SHA-256 "
                        + deployed.file().sha256() + "; the deployed model has " + other.sha256()
                        + ": train the bundle again whenever the model changes");
    }

    @Test
    void changedMissingAndDamagedFilesAreRefused() throws Exception {
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        train(plan, 1).bundle().write(folder);
        Path descriptor = folder.resolve("parity.json");
        Path model = folder.resolve("parity-0.onnx");
        byte[] bytes = Files.readAllBytes(model);
        Files.write(
                model,
                Initialisation.HE.apply(Samples.network(), 9).toModelFile().bytes());
        assertRefused(
                "the model 'parity-0' must have the SHA-256 ",
                ": the file was changed or damaged, or a training was interrupted while it wrote its models: give the"
                        + " training's command again");
        Files.delete(model);
        assertRefused("the model 'parity-0' of " + descriptor + " must lie beside it", ": copy the whole folder");
        Files.write(model, bytes);
        String json = Files.readString(descriptor);
        Files.writeString(descriptor, json.replace("\"kind\" : \"parity\"", "\"kind\" : \"learned\""));
        assertRefused(
                "the descriptor must be of the kind parity, " + descriptor + " is of the kind learned", "learned");
        Files.writeString(descriptor, json.replace("\"version\" : 1", "\"version\" : 2"));
        assertRefused("the descriptor must have version 1, ", descriptor + " has version 2: use a newer Paritas");
        Files.writeString(descriptor, json.replace("\"k\" : \"2\"", "\"k\" : \"1\""));
        assertRefused("the parity models' descriptor is damaged: a coding group must have 2 to 16 queries", "instead");
        Files.writeString(descriptor, json.replace("\"parity-0.onnx\"", "\"../parity-0.onnx\""));
        assertRefused("the model 'parity-0' of " + descriptor + " must lie beside it", ": copy the whole folder");
        Files.writeString(descriptor, json.substring(0, 40));
        assertRefused(descriptor + " is no descriptor of models, a JSON file that bin/paritas train writes, ", ")");
        Files.writeString(descriptor, "{}");
        assertRefused(descriptor + " is no descriptor of models, a JSON file that bin/paritas train writes, ", ")");
        Files.writeString(descriptor, json);
        assertThat(ParityModels.read(folder).plan()).isEqualTo(plan);
    }

    private void assertRefused(String start, String end) {
        assertThatThrownBy(() -> ParityModels.read(folder))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(start)
                .hasMessageEndingWith(end);
    }

    private static ParityModels train(ParityPlan plan, int epochs) {
        return train(plan, Start.FRESH, epochs);
    }

    private static ParityModels train(ParityPlan plan, Start start, int epochs) {
        return ParityTraining.train(
                        deployed,
                        plan,
                        start,
                        new TrainingExamples(examples(TRAIN), examples(VALIDATION), "digits"),
                        OPTIONS.withEpochs(epochs),
                        Optional.empty(),
                        Progress.NONE)
                .models();
    }

    private static Examples examples(ImageSet images) {
        return Samples.examples(deployed.file(), images);
    }

    private static Labelled labelled(ImageSet images) {
        return new Labelled(new ImageInputs(images, Normalization.NONE), Samples.labels(images));
    }
}
