/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.Device;
import io.paritas.inference.torch.Optimizer;
import io.paritas.inference.torch.Tensor;
import java.util.List;

/**
 * How to train.
 *
 * @param epochs at most this many
 * @param batch groups in a batch (single samples where nothing is grouped)
 * @param method the optimizer
 * @param learningRate of the first epoch
 * @param weightDecay factor of the L2 regularisation
 * @param decayEvery halves the learning rate after this many epochs, again and again; 0 leaves it
 * @param patience stops after this many epochs without a better score; 0 never does
 * @param seed of shuffling and dropout
 * @param device where to train
 * @param threads of one operation
 */
public record TrainOptions(
        int epochs,
        int batch,
        Method method,
        double learningRate,
        double weightDecay,
        int decayEvery,
        int patience,
        long seed,
        Device device,
        int threads) {

    /** Adam at 0.001 with weight decay 1e-5 over batches of 64, as the parity models were trained (thesis, 8). */
    public static final TrainOptions DEFAULT =
            new TrainOptions(50, 64, Method.ADAM, 1e-3, 1e-5, 0, 0, 1, Device.AUTO, 1);

    /** Which optimizer. */
    public enum Method {
        ADAM,
        RMSPROP
    }

    /** Checks the numbers. */
    public TrainOptions {
        require(epochs >= 1, "training needs at least 1 epoch, got " + epochs);
        require(batch >= 1, "a batch needs at least 1 group, got " + batch);
        require(
                learningRate > 0 && learningRate < 10,
                "a learning rate must be above 0 and below 10, got " + learningRate);
        require(weightDecay >= 0 && weightDecay < 1, "weight decay must be at least 0 and below 1, got " + weightDecay);
        require(decayEvery >= 0, "the learning rate is halved every so many epochs, 0 for never, got " + decayEvery);
        require(patience >= 0, "patience is a number of epochs, 0 for no early stop, got " + patience);
        require(threads >= 1, "training needs at least 1 thread, got " + threads);
    }

    public TrainOptions withEpochs(int count) {
        return new TrainOptions(
                count, batch, method, learningRate, weightDecay, decayEvery, patience, seed, device, threads);
    }

    public TrainOptions withBatch(int groups) {
        return new TrainOptions(
                epochs, groups, method, learningRate, weightDecay, decayEvery, patience, seed, device, threads);
    }

    public TrainOptions withMethod(Method other, double rate, double decay) {
        return new TrainOptions(epochs, batch, other, rate, decay, decayEvery, patience, seed, device, threads);
    }

    public TrainOptions withDecayEvery(int count) {
        return new TrainOptions(
                epochs, batch, method, learningRate, weightDecay, count, patience, seed, device, threads);
    }

    public TrainOptions withPatience(int count) {
        return new TrainOptions(
                epochs, batch, method, learningRate, weightDecay, decayEvery, count, seed, device, threads);
    }

    public TrainOptions withSeed(long other) {
        return new TrainOptions(
                epochs, batch, method, learningRate, weightDecay, decayEvery, patience, other, device, threads);
    }

    public TrainOptions on(Device other, int threadCount) {
        return new TrainOptions(
                epochs, batch, method, learningRate, weightDecay, decayEvery, patience, seed, other, threadCount);
    }

    /** Another seed for another part of the same training, so that no two parts draw the same numbers. */
    public TrainOptions derived(int part) {
        return withSeed(seed * 31 + part);
    }

    double learningRate(int epoch) {
        return decayEvery == 0 ? learningRate : learningRate * Math.pow(0.5, (epoch - 1) / decayEvery);
    }

    Optimizer optimizer(List<Tensor> parameters) {
        return method == Method.ADAM
                ? Optimizer.adam(parameters, learningRate, weightDecay)
                : Optimizer.rmsProp(parameters, learningRate, weightDecay);
    }

    private static void require(boolean rule, String message) {
        if (!rule) {
            throw new IllegalArgumentException(message);
        }
    }
}
