/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.Device;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.Network.Mode;
import io.paritas.inference.torch.Scope;
import io.paritas.inference.torch.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A network learns to name classes: by cross entropy with the labels or, distilled, by squared distance from a teacher's
 * logits. A folded network takes f images at once and answers for each (thesis, 9.3); an ordinary one has f = 1.
 */
public final class ClassifierObjective implements Objective {
    private static final int SCORE_BATCH = 256;

    private final String description;
    private final Network network;
    private final int fold;
    private final Inputs train;
    private final int[] labels;
    private final Optional<Predictions> teacher;
    private final Inputs validation;
    private final int[] validationLabels;
    private final Curriculum curriculum;
    private final Device device;
    private final int classes;

    /** Labelled inputs. */
    public record Labelled(Inputs inputs, int[] labels) {

        /** Examples as labelled inputs. */
        public static Labelled of(Examples examples) {
            return new Labelled(examples.inputs(), examples.requireLabels("training a classifier"));
        }
    }

    /**
     * @param description of the training, for progress and checkpoints
     * @param network from f inputs, concatenated along their first dimension, to f times the classes
     * @param fold f
     * @param classes number of classes
     * @param train to train on
     * @param teacher its logits for the training inputs, or none for learning from the labels
     * @param validation to choose the best epoch by
     */
    public ClassifierObjective(
            String description,
            Network network,
            int fold,
            int classes,
            Labelled train,
            Optional<Predictions> teacher,
            Labelled validation,
            Curriculum curriculum,
            Device device) {
        this.description = description;
        this.network = network;
        this.fold = fold;
        this.classes = classes;
        this.train = train.inputs();
        this.labels = train.labels();
        this.teacher = teacher;
        this.validation = validation.inputs();
        this.validationLabels = validation.labels();
        this.curriculum = curriculum;
        this.device = device;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public List<Network> networks() {
        return List.of(network);
    }

    @Override
    public int[] samples(int epoch) {
        int present = curriculum.classes(epoch);
        return IntStream.range(0, labels.length)
                .filter(sample -> labels[sample] < present)
                .toArray();
    }

    @Override
    public int groupSize() {
        return fold;
    }

    @Override
    public boolean eligible(int epoch) {
        return curriculum.classes(epoch) >= classes;
    }

    @Override
    public Tensor loss(int[] samples, int epoch) {
        Tensor answers = forward(train.at(epoch), samples, Mode.TRAINING);
        if (teacher.isEmpty()) {
            return answers.crossEntropy(Tensor.ofClasses(
                    device, IntStream.of(samples).map(sample -> labels[sample]).toArray()));
        }
        return answers.meanSquaredError(Tensor.of(device, teacher.get().rows(samples), samples.length, classes));
    }

    /** Accuracy; images beyond the last full stack are left out. */
    @Override
    public double score() {
        int count = validationLabels.length / fold * fold;
        int step = Math.max(1, SCORE_BATCH / fold) * fold;
        int right = 0;
        for (int from = 0; from < count; from += step) {
            int[] samples = IntStream.range(from, Math.min(count, from + step)).toArray();
            try (Scope scope = Scope.withoutGradients()) {
                float[] answers = forward(validation, samples, Mode.INFERENCE).values();
                for (int i = 0; i < samples.length; i++) {
                    right += Predictions.label(answers, i * classes, classes) == validationLabels[samples[i]] ? 1 : 0;
                }
            }
        }
        return right / (double) count;
    }

    /** Answers (samples, classes). */
    private Tensor forward(Inputs inputs, int[] samples, Mode mode) {
        long[] shape = Inputs.batchShape(samples.length / fold, inputs.shape());
        shape[1] *= fold;
        return network.forward(Tensor.of(device, inputs.rows(samples), shape), mode)
                .reshape(samples.length, classes);
    }
}
