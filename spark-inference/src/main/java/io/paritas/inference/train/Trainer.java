/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.Optimizer;
import io.paritas.inference.torch.Scope;
import io.paritas.inference.torch.Tensor;
import io.paritas.random.SplitMix64;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** The training loop for an objective. For one training in one thread. */
public final class Trainer {
    private final Objective objective;
    private final TrainOptions options;
    private final Optional<Checkpoint> checkpoint;
    private final Progress progress;

    private final List<Epoch> epochs = new ArrayList<>();
    private Epoch best;
    private List<ModelFile> bestNetworks = List.of();

    private Trainer(Objective objective, TrainOptions options, Optional<Path> checkpoint, Progress progress) {
        this.objective = objective;
        this.options = options;
        this.checkpoint = checkpoint.map(path -> new Checkpoint(path, objective, options));
        this.progress = progress;
    }

    /**
     * Trains until the last epoch, or until the score has not risen for the options' patience.
     *
     * @param checkpoint file to resume from, if it exists, and to write after epochs: a large one not after each, but after the
     *     last. It stays until {@link Training#deleteCheckpoint}
     * @throws ModelException if the networks have no weights, the checkpoint is of another training, or the loss is not finite
     */
    public static Training train(
            Objective objective, TrainOptions options, Optional<Path> checkpoint, Progress progress) {
        return new Trainer(objective, options, checkpoint, progress).run();
    }

    /**
     * A training that is to come.
     *
     * @param checkpoint its file, if it was interrupted
     * @param description of its objective
     */
    public record Planned(Path checkpoint, String description, TrainOptions options) {}

    /**
     * Looks at the checkpoints of several trainings before the first of them, which may take hours.
     *
     * @throws ModelException if checkpoints are of other trainings; it names all of them
     */
    public static void requireSame(List<Planned> trainings) {
        List<String> mismatches = trainings.stream()
                .flatMap(
                        planned -> Checkpoint.mismatch(
                                planned.checkpoint(), Checkpoint.training(planned.description(), planned.options()))
                                .stream())
                .toList();
        if (!mismatches.isEmpty()) {
            throw Checkpoint.refusal(mismatches);
        }
    }

    private Training run() {
        List<Tensor> parameters = objective.networks().stream()
                .flatMap(network -> network.parameters().stream())
                .toList();
        if (parameters.isEmpty()) {
            throw new ModelException("a network must have weights to be trained, this one has none");
        }
        if (objective.validationSamples() < objective.groupSize()) {
            throw new ModelException("the best epoch is chosen by at least one group of " + objective.groupSize()
                    + " validation samples, got " + objective.validationSamples() + " samples: hold more of them back");
        }
        try (Optimizer optimizer = options.optimizer(parameters)) {
            checkpoint.flatMap(Checkpoint::read).ifPresent(state -> resume(state, optimizer));
            progress.started(objective.description(), options.epochs(), epochs.size());
            while (!finished()) {
                Epoch epoch = epoch(epochs.size() + 1, optimizer);
                epochs.add(epoch);
                if (objective.eligible(epoch.number()) && (best == null || epoch.score() > best.score())) {
                    best = epoch;
                    bestNetworks = current();
                }
                progress.epoch(epoch, Optional.ofNullable(best));
                checkpoint.ifPresent(where -> write(where, optimizer));
            }
        }
        if (best == null) {
            best = epochs.get(epochs.size() - 1);
            bestNetworks = current();
        }
        return new Training(bestNetworks, best, List.copyOf(epochs), checkpoint.map(Checkpoint::file));
    }

    private void write(Checkpoint where, Optimizer optimizer) {
        Supplier<Checkpoint.State> state =
                () -> new Checkpoint.State(epochs, best, bestNetworks, current(), optimizer.state());
        if (finished()) {
            where.write(state.get());
        } else {
            where.writeIfDue(state);
        }
    }

    private void resume(Checkpoint.State state, Optimizer optimizer) {
        epochs.addAll(state.epochs());
        best = state.best();
        bestNetworks = state.bestNetworks();
        for (int i = 0; i < objective.networks().size(); i++) {
            objective.networks().get(i).load(state.networks().get(i));
        }
        optimizer.restore(state.optimizer());
    }

    private Epoch epoch(int number, Optimizer optimizer) {
        long start = System.nanoTime();
        LibTorch.seed(mix(options.seed(), number));
        optimizer.learningRate(options.learningRate(number));
        int[] samples = shuffled(objective.samples(number), mix(options.seed(), number));
        int groupSize = objective.groupSize();
        int groups = samples.length / groupSize;
        if (groups == 0) {
            throw new ModelException("an epoch must have at least one group of " + groupSize + " samples, got "
                    + samples.length + ": use more data");
        }
        int batches = batches(groups, options.batch());
        double sum = 0;
        for (int batch = 0; batch < batches; batch++) {
            int from = batch * options.batch();
            int to = batch == batches - 1 ? groups : from + options.batch();
            double loss = step(Arrays.copyOfRange(samples, from * groupSize, to * groupSize), number, optimizer);
            sum += loss * (to - from);
            progress.batch(number, batch + 1, batches, loss);
        }
        return new Epoch(number, sum / groups, objective.score(), (System.nanoTime() - start) / 1e9);
    }

    /** A last group that is left alone joins the batch before: a batch normalisation cannot learn a variance from one row. */
    private static int batches(int groups, int size) {
        return Math.max(1, groups / size + (groups % size > 1 ? 1 : 0));
    }

    private double step(int[] samples, int epoch, Optimizer optimizer) {
        try (Scope scope = Scope.open()) {
            Tensor loss = objective.loss(samples, epoch);
            double value = loss.value();
            if (!Double.isFinite(value)) {
                throw new ModelException("the loss must be finite, in epoch " + epoch + " it became " + value
                        + ": lower the learning rate (now " + options.learningRate(epoch) + ") or try another seed");
            }
            optimizer.step(loss);
            return value;
        }
    }

    private boolean finished() {
        return epochs.size() >= options.epochs() || stalled();
    }

    private boolean stalled() {
        return options.patience() > 0 && best != null && epochs.size() - best.number() >= options.patience();
    }

    private List<ModelFile> current() {
        return objective.networks().stream().map(Network::toModelFile).toList();
    }

    /** A permutation that depends on the seed only (Fisher and Yates). */
    private static int[] shuffled(int[] samples, long seed) {
        int[] result = samples.clone();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = result.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int swapped = result[i];
            result[i] = result[other];
            result[other] = swapped;
        }
        return result;
    }

    private static long mix(long seed, int epoch) {
        return new SplittableRandom(seed + SplitMix64.GAMMA * epoch).nextLong();
    }
}
