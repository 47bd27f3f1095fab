/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.DataSource;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.ImageInputs;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.data.LabelledImages;
import io.paritas.inference.data.Normalization;
import io.paritas.inference.data.RealData;
import io.paritas.inference.data.Samples;
import io.paritas.inference.data.Split;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.torch.GraphNetwork;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.train.ClassifierObjective;
import io.paritas.inference.train.ClassifierObjective.Classifier;
import io.paritas.inference.train.ClassifierObjective.Labelled;
import io.paritas.inference.train.ClassifierObjective.TrainingSets;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.Progress;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Trainer;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The published experiment in small: Base-MLP on handwritten digits, k = 2 (thesis, 8.4). Tables: docs/accuracy.md. */
@Tag("slow")
class ParityOnMnistTest {
    private static final TrainOptions OPTIONS = TrainOptions.DEFAULT.on(Device.CPU, 1);

    @Test
    void mostLostPredictionsAreReconstructedRight() {
        LabelledImages mnist = DataSource.load("mnist:" + RealData.folderWith("train-images-idx3-ubyte.gz"));
        Split split = Split.random(mnist.train(), 800, 0, 19);
        Device device = LibTorch.start(Device.CPU, 1);
        ModelFile file;
        try (ClassifierObjective objective = new ClassifierObjective(
                "mnist",
                Classifier.of(
                        GraphNetwork.trainable(
                                Initialisation.PYTORCH.apply(
                                        Networks.mlp(mnist.train().shape(), 10), 1),
                                device),
                        10,
                        device),
                TrainingSets.of(labelled(split.train()), labelled(split.validation())),
                Curriculum.NONE)) {
            file = Trainer.train(objective, OPTIONS.withEpochs(10), Optional.empty(), Progress.NONE)
                    .networks()
                    .get(0);
        }
        try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT)) {
            Examples test = Samples.examples(file, mnist.test());
            DegradedAccuracy measured = ParityTraining.train(
                            DeployedModel.of(file, model),
                            new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS),
                            Start.FRESH,
                            new TrainingExamples(
                                    Samples.examples(file, split.train()),
                                    Samples.examples(file, split.validation()),
                                    "mnist"),
                            OPTIONS.withEpochs(30),
                            Optional.empty(),
                            Progress.NONE)
                    .models()
                    .measure(test, ModelOptions.DEFAULT);
            assertThat(measured.available()).isGreaterThan(0.9);
            assertThat(measured.degraded().get(0)).isGreaterThan(0.75);
            assertThat(measured.overall(0.1)).isGreaterThan(0.88);
        }
    }

    private static Labelled labelled(ImageSet images) {
        return new Labelled(new ImageInputs(images, Normalization.NONE), Samples.labels(images));
    }
}
