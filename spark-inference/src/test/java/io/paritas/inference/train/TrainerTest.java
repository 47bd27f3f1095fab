/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.data.ImageInputs;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Normalization;
import io.paritas.inference.data.Samples;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Weight.Role;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.train.ClassifierObjective.Classifier;
import io.paritas.inference.train.ClassifierObjective.Labelled;
import io.paritas.inference.train.ClassifierObjective.TrainingSets;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainerTest {
    private static final Labelled TRAIN = labelled(600, 1);
    private static final Labelled VALIDATION = labelled(200, 2);
    private static final TrainOptions OPTIONS =
            TrainOptions.DEFAULT.withEpochs(6).on(Device.CPU, 1);

    @TempDir
    private Path folder;

    @Test
    void learns() {
        Training training = train(OPTIONS.withEpochs(30), Optional.empty(), Progress.NONE);
        assertThat(training.best().score()).isGreaterThan(0.6);
        assertThat(training.epochs()).hasSize(30);
        assertThat(training.epochs().get(29).loss())
                .isLessThan(training.epochs().get(0).loss() / 2);
    }

    @Test
    void aSeedRepeats() {
        Training training = train(OPTIONS, Optional.empty(), Progress.NONE);
        Training again = train(OPTIONS, Optional.empty(), Progress.NONE);
        Training other = train(OPTIONS.withSeed(2), Optional.empty(), Progress.NONE);
        assertThat(hash(again)).isEqualTo(hash(training));
        assertThat(again.epochs().get(5).loss())
                .isEqualTo(training.epochs().get(5).loss());
        assertThat(hash(other)).isNotEqualTo(hash(training));
    }

    @Test
    void aTrainingThatWasInterruptedEndsAsIfItHadNotBeen() {
        Path checkpoint = folder.resolve("deep/base.checkpoint");
        Training whole = train(OPTIONS, Optional.empty(), Progress.NONE);
        assertThatThrownBy(() -> train(OPTIONS, Optional.of(checkpoint), interruptedIn(4)))
                .hasMessage("power cut");
        assertThat(checkpoint).exists();
        List<Integer> resumed = new ArrayList<>();
        Training rest = train(OPTIONS, Optional.of(checkpoint), new Progress() {
            @Override
            public void started(String what, int epochs, int resumedAfter) {
                resumed.add(resumedAfter);
            }
        });
        assertThat(resumed).containsExactly(3);
        assertThat(hash(rest)).isEqualTo(hash(whole));
        assertThat(rest.best().number()).isEqualTo(whole.best().number());
        assertThat(rest.epochs()).hasSize(6);
        rest.deleteCheckpoint();
        assertThat(checkpoint.getParent()).as("nothing is left").isEmptyDirectory();
    }

    @Test
    void whatFailsAfterATrainingDoesNotCostIt() {
        Path checkpoint = folder.resolve("base.checkpoint");
        Training training = train(OPTIONS, Optional.of(checkpoint), Progress.NONE);
        assertThat(checkpoint).as("until the networks are stored").exists();
        Training again = train(OPTIONS, Optional.of(checkpoint), new Progress() {
            @Override
            public void batch(int epoch, int done, int batches, double loss) {
                throw new AssertionError("trained again");
            }
        });
        assertThat(hash(again)).isEqualTo(hash(training));
        assertThat(again.epochs()).isEqualTo(training.epochs());
    }

    @Test
    void aLargeCheckpointTakesATenthOfTheTime() {
        Duration second = Duration.ofSeconds(1);
        assertThat(Checkpoint.due(1 << 20, second, Duration.ZERO))
                .as("a small one")
                .isTrue();
        assertThat(Checkpoint.due(400 << 20, second, second.multipliedBy(8))).isFalse();
        assertThat(Checkpoint.due(400 << 20, second, second.multipliedBy(9))).isTrue();
    }

    @Test
    void aCheckpointOfAnotherTrainingIsRefused() {
        Path checkpoint = folder.resolve("base.checkpoint");
        assertThatThrownBy(() -> train(OPTIONS, Optional.of(checkpoint), interruptedIn(2)))
                .hasMessage("power cut");
        assertThatThrownBy(() -> train(OPTIONS.withSeed(9), Optional.of(checkpoint), Progress.NONE))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a checkpoint must be of the same training, " + checkpoint)
                .hasMessageContaining("seed=1")
                .hasMessageContaining("seed=9")
                .hasMessageEndingWith("delete the file to start again");
        assertThat(checkpoint).as("kept").exists();
    }

    @Test
    void aDamagedCheckpointIsRefused() throws Exception {
        Path checkpoint = folder.resolve("base.checkpoint");
        Files.write(checkpoint, new byte[100]);
        assertThatThrownBy(() -> train(OPTIONS, Optional.of(checkpoint), Progress.NONE))
                .hasMessageStartingWith("cannot read the checkpoint " + checkpoint)
                .hasMessageEndingWith("delete the file to start again");
    }

    /** A zip file has a checksum of every entry, which {@link java.util.zip.ZipFile} does not look at. */
    @Test
    void aCheckpointWithADamagedWeightIsRefused() throws Exception {
        Path checkpoint = folder.resolve("base.checkpoint");
        assertThatThrownBy(() -> train(OPTIONS, Optional.of(checkpoint), interruptedIn(2)))
                .hasMessage("power cut");
        byte[] bytes = Files.readAllBytes(checkpoint);
        int last = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("last-0");
        bytes[last + 10_000] ^= 1;
        Files.write(checkpoint, bytes);
        assertThatThrownBy(() -> train(OPTIONS, Optional.of(checkpoint), Progress.NONE))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("cannot read the checkpoint " + checkpoint
                        + ": its entry last-0 is damaged: delete the file to start again");
    }

    @Test
    void stopsWhenNothingGetsBetter() {
        // At this rate nothing is learned, so the first epoch stays the best.
        TrainOptions still =
                OPTIONS.withMethod(TrainOptions.Method.ADAM, 1e-12, 0).withPatience(2);
        Training training = train(still.withEpochs(50), Optional.empty(), Progress.NONE);
        assertThat(training.epochs()).hasSize(3);
        assertThat(training.best().number()).isEqualTo(1);
    }

    @Test
    void aLossThatIsNoNumberEndsTheTraining() {
        TrainOptions wild =
                OPTIONS.withMethod(TrainOptions.Method.RMSPROP, 9.9, 0).withEpochs(50);
        float[] huge = new float[144 * 64];
        Arrays.fill(huge, 3e38f);
        Labelled endless = new Labelled(Inputs.of(huge, List.of(1, 12, 12)), new int[64]);
        assertThatThrownBy(() -> Trainer.train(objective(endless), wild, Optional.empty(), Progress.NONE))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("the loss must be finite, in epoch ")
                .hasMessageEndingWith(": lower the learning rate (now 9.9) or try another seed");
    }

    /** One row has no variance: it would make that of the normalisation NaN, and all predictions with it. */
    @Test
    void aLastGroupThatIsLeftAloneJoinsTheBatchBefore() {
        List<Integer> batches = new ArrayList<>();
        try (ClassifierObjective objective = objective(normalised(), labelled(129, 1), Curriculum.NONE)) {
            Training training = Trainer.train(objective, OPTIONS.withBatch(64), Optional.empty(), new Progress() {
                @Override
                public void batch(int epoch, int done, int count, double loss) {
                    batches.add(count);
                }
            });
            assertThat(batches).containsOnly(2);
            assertThat(Graph.of(training.networks().get(0)).weights().values().stream()
                            .filter(weight -> weight.role() == Role.VARIANCE))
                    .singleElement()
                    .satisfies(variance -> assertThat(variance.values()).doesNotContain(Float.NaN));
        }
    }

    @Test
    void aBatchNormalisationIsNotTrainedWithOneRow() {
        try (ClassifierObjective objective = objective(normalised(), TRAIN, Curriculum.NONE)) {
            assertThatThrownBy(() -> Trainer.train(objective, OPTIONS.withBatch(1), Optional.empty(), Progress.NONE))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("a batch normalisation is trained with at least 2 values of each channel, got one of"
                            + " each of 8: its variance would become NaN; use larger batches, or more data");
        }
    }

    private static GraphNetwork normalised() {
        LibTorch.start(Device.CPU, 1);
        GraphBuilder graph = new GraphBuilder(1, Samples.SIDE, Samples.SIDE);
        Value features = graph.batchNorm(graph.linear(graph.flatten(graph.input()), 8));
        return GraphNetwork.trainable(
                Initialisation.PYTORCH.apply(graph.output(graph.linear(graph.relu(features), 10)), 1), Device.CPU);
    }

    @Test
    void withoutValidationNoEpochIsTheBestAndNoneIsTrained() {
        Labelled nothing = new Labelled(Inputs.of(new float[0], List.of(1, Samples.SIDE, Samples.SIDE)), new int[0]);
        LibTorch.start(Device.CPU, 1);
        try (ClassifierObjective objective = new ClassifierObjective(
                "digits",
                Classifier.of(GraphNetwork.trainable(Samples.network(), Device.CPU), 10, Device.CPU),
                TrainingSets.of(TRAIN, nothing),
                Curriculum.NONE)) {
            Progress none = new Progress() {
                @Override
                public void batch(int epoch, int done, int batches, double loss) {
                    throw new AssertionError("trained for nothing");
                }
            };
            assertThatThrownBy(() -> Trainer.train(objective, OPTIONS, Optional.empty(), none))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("the best epoch is chosen by at least one group of 1 validation samples, got 0 samples:"
                            + " hold more of them back");
        }
    }

    @Test
    void classesComeInBitByBit() {
        Curriculum curriculum = Curriculum.tenths(27, 4, 60);
        assertThat(curriculum).isEqualTo(new Curriculum(4, 2, 60));
        assertThat(List.of(1, 60, 61, 120, 121).stream().map(curriculum::classes))
                .containsExactly(4, 4, 6, 6, 8);
        try (ClassifierObjective objective = objective(TRAIN, new Curriculum(3, 4, 2))) {
            assertThat(Arrays.stream(objective.samples(1))
                            .map(sample -> TRAIN.labels()[sample])
                            .max())
                    .hasValue(2);
            assertThat(objective.samples(5)).hasSize(600);
            assertThat(objective.eligible(4)).as("only seven classes yet").isFalse();
            assertThat(objective.eligible(5)).isTrue();
        }
    }

    @Test
    void aNetworkWithoutWeightsIsRefused() {
        GraphBuilder graph = new GraphBuilder(1, Samples.SIDE, Samples.SIDE);
        Graph constant = graph.output(graph.flatten(graph.relu(graph.input())));
        try (ClassifierObjective objective =
                objective(GraphNetwork.trainable(constant, Device.CPU), TRAIN, Curriculum.NONE)) {
            assertThatThrownBy(() -> Trainer.train(objective, OPTIONS, Optional.empty(), Progress.NONE))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("a network must have weights to be trained, this one has none");
        }
    }

    @Test
    void theLearningRateHalves() {
        TrainOptions halving = TrainOptions.DEFAULT.withDecayEvery(10);
        assertThat(halving.learningRate(10)).isEqualTo(1e-3);
        assertThat(halving.learningRate(11)).isEqualTo(5e-4);
        assertThat(halving.learningRate(31)).isEqualTo(1.25e-4);
    }

    private static Progress interruptedIn(int epoch) {
        return new Progress() {
            @Override
            public void batch(int number, int done, int batches, double loss) {
                if (number == epoch && done == 2) {
                    throw new IllegalStateException("power cut");
                }
            }
        };
    }

    private static Training train(TrainOptions options, Optional<Path> checkpoint, Progress progress) {
        try (ClassifierObjective objective = objective(TRAIN)) {
            return Trainer.train(objective, options, checkpoint, progress);
        }
    }

    private static ClassifierObjective objective(Labelled train) {
        return objective(train, Curriculum.NONE);
    }

    private static ClassifierObjective objective(Labelled train, Curriculum curriculum) {
        LibTorch.start(Device.CPU, 1);
        Graph fresh = Initialisation.PYTORCH.apply(Samples.network(), 1);
        return objective(GraphNetwork.trainable(fresh, Device.CPU), train, curriculum);
    }

    private static ClassifierObjective objective(GraphNetwork network, Labelled train, Curriculum curriculum) {
        return new ClassifierObjective(
                "digits", Classifier.of(network, 10, Device.CPU), TrainingSets.of(train, VALIDATION), curriculum);
    }

    private static String hash(Training training) {
        return training.networks().get(0).sha256();
    }

    private static Labelled labelled(int count, long seed) {
        ImageSet images = Samples.digits(count, seed);
        return new Labelled(new ImageInputs(images, Normalization.NONE), Samples.labels(images));
    }
}
