/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.inference.Device;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.learned.CodePlan.Loss;
import io.paritas.inference.learned.Scenarios.Scenario;
import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.Network.Mode;
import io.paritas.inference.torch.Scope;
import io.paritas.inference.torch.Tensor;
import io.paritas.inference.train.Objective;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Trains an encoder and a decoder together, through the frozen deployed model, to reconstruct predictions in every loss scenario
 * (thesis, 7.2): inputs → encoder → deployed model → decoder → loss of the lost predictions.
 */
final class CodeObjective implements Objective {
    private static final int SCORE_BATCH = 64;

    /** Of the decoder's inputs at a time. Its layers and their gradients have about ten times as many. */
    private static final long MOST_BYTES = 128L << 20;

    private final String description;
    private final CodePlan plan;
    private final Network encoder;
    private final Network decoder;
    private final Network deployed;
    private final Examples train;
    private final Examples validation;
    private final Device device;
    private final Arrangement arrangement;
    private final List<Scenario> scenarios;
    private final long mostBytes;

    CodeObjective(String description, CodePlan plan, CodeNetworks networks, TrainingExamples examples, Device device) {
        this(description, plan, networks, examples, device, MOST_BYTES);
    }

    /** @param mostBytes of the decoder's inputs at a time, unless those of one scenario are more */
    CodeObjective(
            String description,
            CodePlan plan,
            CodeNetworks networks,
            TrainingExamples examples,
            Device device,
            long mostBytes) {
        this.mostBytes = mostBytes;
        this.description = description;
        this.plan = plan;
        this.encoder = networks.encoder();
        this.decoder = networks.decoder();
        this.deployed = networks.deployed();
        this.train = examples.train();
        this.validation = examples.validation();
        this.device = device;
        List<Integer> shape = train.inputs().shape();
        this.arrangement = new Arrangement(shape.get(0), shape.get(1), shape.get(2), plan.channels());
        this.scenarios = Scenarios.of(plan.k(), plan.r());
        train.requireClasses();
        train.predictions().requireFinite(); // the decoder gets those that are not lost
        if (plan.loss() == Loss.XENT_LABEL) {
            train.requireLabels("the loss " + plan.loss());
        }
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public List<Network> networks() {
        return List.of(encoder, decoder);
    }

    @Override
    public int[] samples(int epoch) {
        return IntStream.range(0, train.count()).toArray();
    }

    @Override
    public int groupSize() {
        return plan.k();
    }

    @Override
    public Tensor loss(int[] samples, int epoch) {
        Tensor parities = parities(train.inputs().at(epoch), samples, Mode.TRAINING);
        List<List<Scenario>> parts = parts(samples, train.predictions());
        return parts.size() == 1 ? loss(scenarios, parities, samples) : lossInParts(parts, parities, samples);
    }

    /**
     * The loss with the gradients of one part of the scenarios after the other, because all at once may not fit into memory. The decoder
     * has its gradients then; those of the answers to the parity queries go on into the encoder.
     */
    private Tensor lossInParts(List<List<Scenario>> parts, Tensor parities, int[] samples) {
        Tensor answers = parities.detach().withGradient();
        double all = lost(scenarios, samples).length;
        double sum = 0;
        for (List<Scenario> part : parts) {
            try (Scope scope = Scope.open()) {
                Tensor loss = loss(part, answers, samples).times(lost(part, samples).length / all);
                loss.backward();
                sum += loss.value();
            }
        }
        Tensor onwards = parities.times(answers.gradient()).sum();
        return onwards.minus(onwards.detach()).plus(sum);
    }

    private Tensor loss(List<Scenario> part, Tensor parities, int[] samples) {
        Tensor reconstructed = reconstruct(part, parities, train.predictions(), samples, Mode.TRAINING);
        int[] lost = lost(part, samples);
        if (plan.loss() == Loss.XENT_LABEL) {
            int[] labels = train.labels().orElseThrow();
            return reconstructed.crossEntropy(Tensor.ofClasses(
                    device, IntStream.of(lost).map(sample -> labels[sample]).toArray()));
        }
        int classes = train.predictions().size();
        Tensor target = Tensor.of(device, train.predictions().rows(lost), lost.length, classes);
        return plan.loss() == Loss.KL_BASE
                ? reconstructed.divergence(target)
                : reconstructed.meanSquaredError(target).times(classes);
    }

    @Override
    public int validationSamples() {
        return validation.count();
    }

    /** Share of reconstructions that predict the expected class, over all scenarios. */
    @Override
    public double score() {
        int k = plan.k();
        int groups = validation.count() / k;
        long right = 0; // the losses of all groups in all scenarios may be more than an int holds
        long all = 0;
        for (int from = 0; from < groups; from += SCORE_BATCH) {
            int[] samples = IntStream.range(from * k, Math.min(groups, from + SCORE_BATCH) * k)
                    .toArray();
            try (Scope scope = Scope.withoutGradients()) {
                Tensor parities = parities(validation.inputs(), samples, Mode.INFERENCE);
                for (List<Scenario> part : parts(samples, validation.predictions())) {
                    right += right(part, parities, samples);
                    all += lost(part, samples).length;
                }
            }
        }
        return right / (double) all;
    }

    /** How many reconstructions predict the expected class. */
    private int right(List<Scenario> part, Tensor parities, int[] samples) {
        float[] reconstructed;
        try (Scope scope = Scope.withoutGradients()) {
            reconstructed = reconstruct(part, parities, validation.predictions(), samples, Mode.INFERENCE)
                    .values();
        }
        int[] lost = lost(part, samples);
        int classes = validation.predictions().size();
        return (int) IntStream.range(0, lost.length)
                .filter(i -> Predictions.label(reconstructed, i * classes, classes) == validation.expected(lost[i]))
                .count();
    }

    /** The scenarios in parts for which the decoder's inputs fit into memory. */
    private List<List<Scenario>> parts(int[] samples, Predictions predictions) {
        long bytes = (long) samples.length / plan.k() * (plan.k() + plan.r()) * predictions.size() * Float.BYTES;
        int most = (int) Math.max(1, Math.min(scenarios.size(), mostBytes / bytes));
        return IntStream.iterate(0, from -> from < scenarios.size(), from -> from + most)
                .mapToObj(from -> scenarios.subList(from, Math.min(scenarios.size(), from + most)))
                .toList();
    }

    /** The lost samples of all groups in some scenarios, in the order of {@link #reconstruct}. */
    private int[] lost(List<Scenario> part, int[] samples) {
        int k = plan.k();
        return part.stream()
                .flatMapToInt(scenario -> IntStream.of(scenario.lost())
                        .flatMap(member ->
                                IntStream.range(0, samples.length / k).map(group -> samples[group * k + member])))
                .toArray();
    }

    /** Reconstructions (scenarios × lost members × groups, classes). */
    private Tensor reconstruct(
            List<Scenario> part, Tensor parities, Predictions predictions, int[] samples, Mode mode) {
        int k = plan.k();
        int groups = samples.length / k;
        int classes = predictions.size();
        List<Tensor> received = new ArrayList<>();
        for (Scenario scenario : part) {
            float[] available = predictions.rows(samples);
            for (int group = 0; group < groups; group++) {
                for (int member : scenario.lost()) {
                    int from = (group * k + member) * classes;
                    Arrays.fill(available, from, from + classes, 0);
                }
            }
            List<Tensor> parts = new ArrayList<>(List.of(Tensor.of(device, available, groups, (long) k * classes)));
            parts.addAll(answers(scenario, parities, groups, classes));
            received.add(Tensor.concat(parts, 1));
        }
        Tensor decoded = decoder.forward(Tensor.concat(received, 0), mode);
        List<Tensor> reconstructed = new ArrayList<>();
        for (int s = 0; s < part.size(); s++) {
            for (int member : part.get(s).lost()) {
                reconstructed.add(
                        decoded.slice(0, (long) s * groups, groups).slice(1, (long) member * classes, classes));
            }
        }
        return Tensor.concat(reconstructed, 0);
    }

    /** The answers that are there in a scenario, and zeros for the others. */
    private List<Tensor> answers(Scenario scenario, Tensor parities, int groups, int classes) {
        if (scenario.answers().length == plan.r()) {
            return List.of(parities);
        }
        Tensor none = Tensor.of(device, new float[groups * classes], groups, classes);
        return IntStream.range(0, plan.r())
                .mapToObj(parity -> Arrays.binarySearch(scenario.answers(), parity) < 0
                        ? none
                        : parities.slice(1, (long) parity * classes, classes))
                .toList();
    }

    /** The deployed model's answers to the parity queries: (groups, r · classes). */
    private Tensor parities(Inputs inputs, int[] samples, Mode mode) {
        Tensor images = Tensor.of(device, inputs.rows(samples), Inputs.batchShape(samples.length, inputs.shape()));
        Tensor planes = plan.asEncoderInput(arrangement.toPlanes(images, plan.k()));
        Tensor encoded = encoder.forward(planes, mode);
        int height = inputs.shape().get(1);
        int width = inputs.shape().get(2);
        Tensor queries = arrangement.toImages(encoded.reshape(encoded.size(0), plan.r(), height, width), plan.r());
        return deployed.forward(queries, Mode.INFERENCE).reshape(samples.length / plan.k(), -1);
    }
}
