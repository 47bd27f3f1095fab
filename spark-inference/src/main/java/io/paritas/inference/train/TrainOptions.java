/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.PublicApi;
import io.paritas.inference.Device;
import io.paritas.inference.torch.Optimizer;
import io.paritas.inference.torch.Tensor;
import java.util.List;

/**
 * How to train.
 *
 * @param epochs most epochs, at least 1
 * @param batch groups (or single samples) in a batch, at least 1
 * @param method the optimizer
 * @param learningRate learning rate of the first epoch, above 0 and below 10
 * @param weightDecay factor of the L2 regularisation, at least 0 and below 1
 * @param decayEvery epochs after which the learning rate is halved, each time; 0 for never
 * @param patience epochs without a better score after which training stops; 0 for never
 * @param seed seed of shuffling and dropout
 * @param device where to train
 * @param threads threads of an operation, at least 1
 */
@PublicApi
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

    /** The optimizers. */
    public enum Method {
        /** Adam with β = (0.9, 0.999) and ε = 1e-8. */
        ADAM,
        /** RMSprop with α = 0.99 and ε = 1e-8. */
        RMSPROP
    }

    /** Checks the numbers. */
    public TrainOptions {
        require(epochs >= 1, "epochs must be at least 1, got " + epochs);
        require(batch >= 1, "a batch must have at least 1 group, got " + batch);
        require(
                learningRate > 0 && learningRate < 10,
                "the learning rate must be above 0 and below 10, got " + learningRate);
        require(
                weightDecay >= 0 && weightDecay < 1,
                "the weight decay must be at least 0 and below 1, got " + weightDecay);
        require(
                decayEvery >= 0,
                "the epochs between halvings of the learning rate must be at least 0 (never), got " + decayEvery);
        require(patience >= 0, "patience must be at least 0 epochs (no early stop), got " + patience);
        require(threads >= 1, "threads must be at least 1, got " + threads);
    }

    /** These options with another number of epochs. */
    public TrainOptions withEpochs(int count) {
        return new TrainOptions(
                count, batch, method, learningRate, weightDecay, decayEvery, patience, seed, device, threads);
    }

    /** These options with another size of batches. */
    public TrainOptions withBatch(int groups) {
        return new TrainOptions(
                epochs, groups, method, learningRate, weightDecay, decayEvery, patience, seed, device, threads);
    }

    /** These options with another optimizer, learning rate and weight decay. */
    public TrainOptions withMethod(Method other, double rate, double decay) {
        return new TrainOptions(epochs, batch, other, rate, decay, decayEvery, patience, seed, device, threads);
    }

    /** These options with another number of epochs between halvings of the learning rate. */
    public TrainOptions withDecayEvery(int count) {
        return new TrainOptions(
                epochs, batch, method, learningRate, weightDecay, count, patience, seed, device, threads);
    }

    /** These options with another patience. */
    public TrainOptions withPatience(int count) {
        return new TrainOptions(
                epochs, batch, method, learningRate, weightDecay, decayEvery, count, seed, device, threads);
    }

    /** These options with another seed. */
    public TrainOptions withSeed(long other) {
        return new TrainOptions(
                epochs, batch, method, learningRate, weightDecay, decayEvery, patience, other, device, threads);
    }

    /** These options for another device and number of threads. */
    public TrainOptions on(Device other, int threadCount) {
        return new TrainOptions(
                epochs, batch, method, learningRate, weightDecay, decayEvery, patience, seed, other, threadCount);
    }

    /** These options with a seed for one part of a training, so that no two parts draw the same numbers. */
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
