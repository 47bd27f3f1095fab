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
 * Trains a classifier: by cross entropy with the labels, or by mean squared error with a teacher's logits (distillation). A folded
 * network takes f images at once and answers for each (thesis, 9.3); an ordinary one has f = 1.
 */
public final class ClassifierObjective implements Objective {
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
     * The network that learns.
     *
     * @param network from f inputs, concatenated along their first dimension, to f times the classes
     * @param fold f, at least 1
     * @param classes number of classes
     * @param device where the network is
     */
    public record Classifier(Network network, int fold, int classes, Device device) {

        /** An ordinary network, f = 1. */
        public static Classifier of(Network network, int classes, Device device) {
            return new Classifier(network, 1, classes, device);
        }
    }

    /**
     * What it learns from.
     *
     * @param train inputs to train on
     * @param teacher logits to learn for the training inputs, all finite; empty to learn the labels
     * @param validation inputs to choose the best epoch by
     */
    public record TrainingSets(Labelled train, Optional<Predictions> teacher, Labelled validation) {

        /** Sets to learn the labels of. */
        public static TrainingSets of(Labelled train, Labelled validation) {
            return new TrainingSets(train, Optional.empty(), validation);
        }
    }

    /** @param description one line, for progress and checkpoints */
    public ClassifierObjective(String description, Classifier classifier, TrainingSets sets, Curriculum curriculum) {
        this.description = description;
        this.network = classifier.network();
        this.fold = classifier.fold();
        this.classes = classifier.classes();
        this.train = sets.train().inputs();
        this.labels = sets.train().labels();
        this.teacher = sets.teacher();
        teacher.ifPresent(Predictions::requireFinite);
        this.validation = sets.validation().inputs();
        this.validationLabels = sets.validation().labels();
        this.curriculum = curriculum;
        this.device = classifier.device();
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

    @Override
    public int validationSamples() {
        return validationLabels.length;
    }

    /** Accuracy, without images beyond the last full stack. */
    @Override
    public double score() {
        int count = validationLabels.length / fold * fold;
        int step = Math.max(1, validation.atOnce() / fold) * fold;
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
