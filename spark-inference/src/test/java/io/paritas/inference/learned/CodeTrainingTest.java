/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.data.Samples;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.learned.CodePlan.ChannelMix;
import io.paritas.inference.learned.CodePlan.EncoderKind;
import io.paritas.inference.learned.CodePlan.Loss;
import io.paritas.inference.parity.DegradedAccuracy;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.Scope;
import io.paritas.inference.torch.Tensor;
import io.paritas.inference.torch.TorchScripts;
import io.paritas.inference.torch.TrainableNetworks;
import io.paritas.inference.train.Epoch;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CodeTrainingTest {
    private static final TrainOptions OPTIONS = TrainOptions.DEFAULT.on(Device.CPU, 1);
    private static final ImageSet TRAIN = Samples.digits(400, 1);
    private static final ImageSet VALIDATION = Samples.digits(100, 2);

    /** A network that nobody trained is as good a function to reconstruct as any. */
    private static final ModelFile DEPLOYED =
            Initialisation.HE.apply(Samples.network(), 5).toModelFile();

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        LibTorch.start(Device.CPU, 1);
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void learnsWithEveryLoss(Loss loss) {
        CodeTraining.Result result = train(new CodePlan(2, 1, EncoderKind.MLP, loss, ChannelMix.SEPARATE), 8);
        List<Epoch> epochs = result.training().epochs();
        assertThat(epochs.get(7).loss()).isLessThan(epochs.get(0).loss());
    }

    @Test
    void theDeployedModelIsNotChanged() {
        CodePlan plan = new CodePlan(2, 1, EncoderKind.CONV, Loss.MSE_BASE, ChannelMix.SEPARATE);
        assertThat(train(plan, 1).code().bundle().deployedSha256()).isEqualTo(DEPLOYED.sha256());
        assertThat(train(plan, 1).code().encoder().sha256())
                .as("a seed repeats")
                .isEqualTo(train(plan, 1).code().encoder().sha256());
    }

    @Test
    void gradientsFlowThroughTorchScriptToo() {
        ModelFile script = TorchScripts.write(Graph.of(DEPLOYED));
        CodePlan plan = new CodePlan(2, 1, EncoderKind.MLP, Loss.MSE_BASE, ChannelMix.SEPARATE);
        CodeTraining.Result onnx = train(plan, 2);
        try (Model model = ModelEngines.load(script, ModelOptions.DEFAULT)) {
            CodeTraining.Result result = CodeTraining.train(
                    DeployedModel.of(script, model),
                    plan,
                    new TrainingExamples(
                            labelless(Samples.examples(script, TRAIN)),
                            labelless(Samples.examples(script, VALIDATION)),
                            "digits"),
                    OPTIONS.withEpochs(2),
                    Optional.empty(),
                    Progress.NONE);
            assertThat(result.training().epochs().get(1).loss())
                    .isEqualTo(onnx.training().epochs().get(1).loss(), within(1e-2));
        }
    }

    @Test
    void whatIsLearnedIsUsedAsItWasLearned() {
        CodeTraining.Result result = train(new CodePlan(2, 2, EncoderKind.CONV, Loss.MSE_BASE, ChannelMix.SEPARATE), 2);
        Path descriptor = result.code().bundle().write(folder);
        LearnedCode read = LearnedCode.read(descriptor);
        assertThat(read.plan()).isEqualTo(result.code().plan());
        Examples validation = Samples.examples(DEPLOYED, VALIDATION);
        try (Model deployed = ModelEngines.load(DEPLOYED, ModelOptions.DEFAULT)) {
            DegradedAccuracy measured = read.measure(deployed, labelless(validation), ModelOptions.DEFAULT);
            double overScenarios =
                    (2 * measured.degraded().get(0) + 2 * measured.degraded().get(1)) / 4;
            assertThat(overScenarios)
                    .as("engines reconstruct as training did")
                    .isEqualTo(result.training().best().score(), within(0.011));
        }
    }

    /** All scenarios of 16 queries and 4 parity queries would take tens of GB at once. */
    @ParameterizedTest
    @EnumSource(Loss.class)
    void scenariosInPartsHaveTheLossAndTheGradientsOfAll(Loss loss) {
        CodePlan plan = new CodePlan(3, 2, EncoderKind.MLP, loss, ChannelMix.SEPARATE);
        Examples train = Samples.examples(DEPLOYED, TRAIN);
        TrainingExamples examples = new TrainingExamples(train, Samples.examples(DEPLOYED, VALIDATION), "digits");
        int[] samples = IntStream.range(0, 12).toArray();
        CountedRows all = new CountedRows(decoder(plan, train));
        CountedRows parts = new CountedRows(decoder(plan, train));
        try (Network deployed = TrainableNetworks.frozen(DEPLOYED, Device.CPU);
                CodeObjective whole =
                        new CodeObjective("all", plan, networks(plan, train, all, deployed), examples, Device.CPU);
                CodeObjective parted = new CodeObjective(
                        "parts",
                        plan,
                        networks(plan, train, parts, deployed),
                        examples,
                        Device.CPU,
                        2 * 4 * 5 * 10 * Float.BYTES);
                Scope scope = Scope.open()) {
            Tensor expected = whole.loss(samples, 1);
            expected.backward();
            Tensor found = parted.loss(samples, 1);
            found.backward();

            assertThat(all.most).as("of 12 scenarios of 4 groups").isEqualTo(12 * 4);
            assertThat(parts.most).as("of 2 scenarios").isEqualTo(2 * 4);
            assertThat((double) found.value()).isCloseTo(expected.value(), withinPercentage(1e-3));
            assertThat(farthest(gradients(parted), gradients(whole))).isLessThanOrEqualTo(1e-5f);
            assertThat(parted.score()).isEqualTo(whole.score());
        }
    }

    /** Knows the most rows that it was given at a time. */
    private static final class CountedRows implements Network {
        private final Network network;
        private long most;

        CountedRows(Network network) {
            this.network = network;
        }

        @Override
        public Tensor forward(Tensor inputs, Mode mode) {
            most = Math.max(most, inputs.size(0));
            return network.forward(inputs, mode);
        }

        @Override
        public List<Tensor> parameters() {
            return network.parameters();
        }

        @Override
        public ModelFile toModelFile() {
            return network.toModelFile();
        }

        @Override
        public void load(ModelFile other) {
            network.load(other);
        }

        @Override
        public void close() {
            network.close();
        }
    }

    private static CodeNetworks networks(CodePlan plan, Examples examples, Network decoder, Network deployed) {
        return new CodeNetworks(fresh(plan.encoderNetwork(examples.inputs().shape())), decoder, deployed);
    }

    private static Network decoder(CodePlan plan, Examples examples) {
        return fresh(plan.decoderNetwork(examples.predictions().size()));
    }

    private static Network fresh(Graph graph) {
        return GraphNetwork.trainable(Initialisation.XAVIER.apply(graph, 7), Device.CPU);
    }

    private static float[] gradients(CodeObjective objective) {
        List<Tensor> parameters = objective.networks().stream()
                .flatMap(network -> network.parameters().stream())
                .toList();
        float[] gradients = new float
                [parameters.stream()
                        .mapToInt(parameter -> parameter.values().length)
                        .sum()];
        int offset = 0;
        for (Tensor parameter : parameters) {
            offset = parameter.gradient(gradients, offset);
        }
        return gradients;
    }

    /** The most by which two of the same place differ; there are so many that AssertJ takes seconds for them. */
    private static float farthest(float[] some, float[] others) {
        assertThat(some).hasSameSizeAs(others);
        float most = 0;
        for (int i = 0; i < some.length; i++) {
            most = Math.max(most, Math.abs(some[i] - others[i]));
        }
        return most;
    }

    @Test
    void theDecoderMayHaveTheWidthsOfTheThesis() {
        CodePlan plan =
                new CodePlan(2, 1, EncoderKind.CONV, Loss.MSE_BASE, ChannelMix.SEPARATE, Networks.DecoderLayers.THESIS);
        LearnedCode code = train(plan, 1).code();
        LearnedCode read = LearnedCode.read(code.bundle().write(folder));
        assertThat(read.plan()).isEqualTo(plan);
        int classes = code.bundle().output().size();
        assertThat(Graph.of(read.decoder()).parameters())
                .isEqualTo(Networks.decoderMlp(2, 1, classes, Networks.DecoderLayers.THESIS)
                        .parameters())
                .isNotEqualTo(Networks.decoderMlp(2, 1, classes, Networks.DecoderLayers.PROGRAM)
                        .parameters());
    }

    @Test
    void coloursStayApartUnlessTheOldMixIsWanted() {
        List<float[]> queries = List.of(planes(10), planes(20));
        assertThat(encodeWithIdentity(queries, ChannelMix.SEPARATE)).containsExactly(10, 11, 12);
        assertThat(encodeWithIdentity(queries, ChannelMix.PUBLISHED))
                .as("the first of (R1, G1), (B1, R2), (G2, B2)")
                .containsExactly(10, 12, 21);
    }

    /** An encoder that takes the first of its two planes: a group of (red, green, blue) images of one pixel. */
    private static float[] encodeWithIdentity(List<float[]> queries, ChannelMix mix) {
        CodePlan plan = new CodePlan(2, 1, EncoderKind.CONV, Loss.MSE_BASE, mix);
        float[] joined = new float[6];
        System.arraycopy(queries.get(0), 0, joined, 0, 3);
        System.arraycopy(queries.get(1), 0, joined, 3, 3);
        Arrangement arrangement = new Arrangement(3, 1, 1, mix);
        try (Scope scope = Scope.withoutGradients()) {
            Tensor planes = arrangement.toPlanes(Tensor.of(Device.CPU, joined, 2, 3, 1, 1), plan.k());
            return arrangement.toImages(planes.slice(1, 0, 1), 1).values();
        }
    }

    private static float[] planes(float red) {
        return new float[] {red, red + 1, red + 2};
    }

    @ParameterizedTest
    @EnumSource(ChannelMix.class)
    void enginesArrangePlanesAsTrainingDoes(ChannelMix mix) {
        int k = 3;
        CodePlan plan = new CodePlan(k, 2, EncoderKind.CONV, Loss.MSE_BASE, mix);
        List<Integer> shape = List.of(3, 4, 4);
        ModelFile encoderFile =
                Initialisation.PYTORCH.apply(plan.encoderNetwork(shape), 3).toModelFile();
        Random random = new Random(6);
        List<float[]> queries = new ArrayList<>();
        float[] joined = new float[k * 48];
        for (int i = 0; i < k; i++) {
            float[] query = new float[48];
            for (int j = 0; j < 48; j++) {
                query[j] = random.nextFloat();
                joined[i * 48 + j] = query[j];
            }
            queries.add(query);
        }
        try (Model encoder = ModelEngines.load(encoderFile, ModelOptions.DEFAULT);
                Scope scope = Scope.withoutGradients()) {
            LearnedEncoder encoding = new LearnedEncoder(plan, encoder, shape);
            List<float[]> found = List.of(encoding.encode(queries, 0), encoding.encode(queries, 1));
            Arrangement arrangement = new Arrangement(3, 4, 4, mix);
            float[] planes = arrangement
                    .toPlanes(Tensor.of(Device.CPU, joined, k, 3, 4, 4), k)
                    .values();
            float[] encoded = encoder.predict(planes);
            float[] expected = arrangement
                    .toImages(Tensor.of(Device.CPU, encoded, 3, 2, 4, 4), 2)
                    .values();
            assertThat(found).hasSize(2);
            for (int i = 0; i < 96; i++) {
                assertThat(found.get(i / 48)[i % 48]).isEqualTo(expected[i], within(1e-6f));
            }
        }
    }

    @Test
    void groupsThatDoNotFitAreRefused() {
        CodeTraining.Result result = train(new CodePlan(2, 1, EncoderKind.MLP, Loss.MSE_BASE, ChannelMix.SEPARATE), 1);
        LearnedCode code = result.code();
        List<Integer> shape = List.of(1, Samples.SIDE, Samples.SIDE);
        try (Model encoder = ModelEngines.load(code.encoder(), ModelOptions.DEFAULT);
                Model decoder = ModelEngines.load(code.decoder(), ModelOptions.DEFAULT)) {
            LearnedEncoder encode = new LearnedEncoder(code.plan(), encoder, shape);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> encode.encode(List.of(), 0))
                    .withMessage("a coding group has 1 to k = 2 queries, got 0");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> encode.encode(List.of(new float[144], new float[3]), 0))
                    .withMessage("every query must have the 144 values of shape [1, 12, 12], got 3");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> code.plan().require(List.of(144)))
                    .withMessage(
                            "a learned code encodes images (channels, height, width), got queries of the shape [144]");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new LearnedEncoder(code.plan(), decoder, shape))
                    .withMessageStartingWith(
                            "an encoder of k = 2 and r = 1 for queries of [1, 12, 12] must go from 288 to 144"
                                    + " values, this one goes from ");
            LearnedDecoder decode = new LearnedDecoder(code.plan(), decoder);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new LearnedDecoder(code.plan(), encoder))
                    .withMessageStartingWith("a decoder of k = 2 and r = 1 must go from 3 to 2 predictions, this one ");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> decode.decode(new float[3][], new float[1][]))
                    .withMessage("a coding group has 1 to k = 2 queries, got 3");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> decode.decode(new float[2][], new float[2][]))
                    .withMessage("there must be an answer or null to each of the r = 1 parity queries, got 2");
            float[][] hopeless = {null, null};
            assertThat(decode.decode(hopeless, new float[][] {new float[10]}).isEmpty())
                    .isTrue();
            assertThat(hopeless).isDeepEqualTo(new float[2][]);
            float[][] poisoned = {{Float.NaN, 0, 0, 0, 0, 0, 0, 0, 0, 0}, null};
            assertThat(decode.decode(poisoned, new float[][] {new float[10]}).isEmpty())
                    .isTrue();
        }
    }

    @Test
    void scenariosAreAllLossesThatCanBeRepaired() {
        assertThat(texts(3, 1)).containsExactly("[0] [0]", "[1] [0]", "[2] [0]");
        assertThat(texts(2, 2))
                .containsExactly(
                        "[0] [0]", "[0] [1]", "[0] [0, 1]", "[1] [0]", "[1] [1]", "[1] [0, 1]", "[0, 1] [0, 1]");
        assertThat(texts(5, 2)).hasSize(5 * 3 + 10);
    }

    private static List<String> texts(int k, int r) {
        return Scenarios.of(k, r).stream()
                .map(scenario -> Arrays.toString(scenario.lost()) + " " + Arrays.toString(scenario.answers()))
                .toList();
    }

    /** 64 groups of 16 images of three megapixels are more values than an array has. */
    @Test
    void fewerLargeImagesAreEncodedAtOnce() {
        assertThat(LearnedEncoder.atOnce(2, 28 * 28)).isEqualTo(64);
        assertThat(LearnedEncoder.atOnce(4, 3 * 836 * 836)).isEqualTo(8);
        assertThat(LearnedEncoder.atOnce(16, 3 << 20)).isEqualTo(1);
    }

    @Test
    void onlyImagesAndKnownLabelsAreTaken() {
        Examples rows =
                new Examples(Inputs.of(new float[8], List.of(4)), Predictions.of(new float[4], 2), Optional.empty());
        DeployedModel flat =
                new DeployedModel(DEPLOYED, new TensorSpec("x", List.of(4)), new TensorSpec("y", List.of(2)));
        CodePlan plan = new CodePlan(2, 1, EncoderKind.MLP, Loss.XENT_LABEL, ChannelMix.SEPARATE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeTraining.train(
                        flat, plan, new TrainingExamples(rows, rows, "rows"), OPTIONS, Optional.empty(), Progress.NONE))
                .withMessage("a code is learned for images (channels, height, width), the deployed model takes x (4)");
        Examples minus = Samples.examples(DEPLOYED, VALIDATION);
        minus.labels().orElseThrow()[99] = -100; // which LibTorch would ignore
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeTraining.train(
                        deployed(),
                        plan,
                        new TrainingExamples(Samples.examples(DEPLOYED, TRAIN), minus, "digits"),
                        OPTIONS,
                        Optional.empty(),
                        Progress.NONE))
                .withMessage(
                        "a label must be the index of one of the model's 10 outputs, row 99 for validation has -100:"
                                + " number the classes from 0");
        Examples unlabelled = labelless(Samples.examples(DEPLOYED, TRAIN));
        assertThatThrownBy(() -> CodeTraining.train(
                        deployed(),
                        plan,
                        new TrainingExamples(unlabelled, unlabelled, "rows"),
                        OPTIONS,
                        Optional.empty(),
                        Progress.NONE))
                .hasMessage("the loss XENT_LABEL needs true labels, and these examples have none");
    }

    @Test
    void anEncoderThatIsTooLargeIsRefusedBeforeAnythingIsAnswered() {
        DeployedModel large =
                new DeployedModel(DEPLOYED, new TensorSpec("x", List.of(3, 128, 128)), new TensorSpec("y", List.of(2)));
        CodePlan plan = new CodePlan(2, 1, EncoderKind.MLP, Loss.MSE_BASE, ChannelMix.SEPARATE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeTraining.requireTrainable(large, plan, OPTIONS))
                .withMessage("the encoder MLP has a layer of 32768 by 32768 weights for 2 images of 128 by 128, more"
                        + " than a file of a network can have, 536870911: choose the encoder CONV");
    }

    /** No learning rate would help. */
    @Test
    void nothingIsLearnedOfAPredictionThatIsNotFinite() {
        for (Loss loss : Loss.values()) {
            CodePlan plan = new CodePlan(2, 1, EncoderKind.MLP, loss, ChannelMix.SEPARATE);
            TrainingExamples examples =
                    new TrainingExamples(Samples.infinite(20, 7), Samples.examples(DEPLOYED, VALIDATION), "digits");
            assertThatIllegalArgumentException()
                    .as("%s", loss)
                    .isThrownBy(() ->
                            CodeTraining.train(deployed(), plan, examples, OPTIONS, Optional.empty(), Progress.NONE))
                    .withMessage("every prediction must be finite, row 7 has Infinity: leave that row out");
        }
    }

    private static Examples labelless(Examples examples) {
        return new Examples(examples.inputs(), examples.predictions(), Optional.empty());
    }

    private static CodeTraining.Result train(CodePlan plan, int epochs) {
        Examples train = Samples.examples(DEPLOYED, TRAIN);
        Examples validation = Samples.examples(DEPLOYED, VALIDATION);
        boolean labels = plan.loss() == Loss.XENT_LABEL;
        return CodeTraining.train(
                deployed(),
                plan,
                new TrainingExamples(
                        labels ? train : labelless(train), labels ? validation : labelless(validation), "digits"),
                OPTIONS.withEpochs(epochs),
                Optional.empty(),
                Progress.NONE);
    }

    private static DeployedModel deployed() {
        try (Model model = ModelEngines.load(DEPLOYED, ModelOptions.DEFAULT)) {
            return DeployedModel.of(DEPLOYED, model);
        }
    }
}
