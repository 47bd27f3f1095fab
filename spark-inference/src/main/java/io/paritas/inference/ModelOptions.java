/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.util.List;

/**
 * How to load a model.
 *
 * @param engine name of a {@link ModelEngine}, or {@code auto} for the first that reads the format and works here
 * @param device where to run
 * @param threads threads of one prediction; 1 is right where several tasks share a machine, as in a Spark executor
 * @param inputShape shape of one row, for TorchScript that Paritas did not write; empty to use the shape in the model. If both
 *     are there, they must be equal
 * @param gpu number of the GPU, from 0, among those that CUDA shows, {@link #ANY_GPU}, or {@link #NO_GPU}; ignored on the CPU
 * @param protection how the model checks what it computes
 */
@PublicApi
public record ModelOptions(
        String engine, Device device, int threads, List<Integer> inputShape, int gpu, Protection protection) {

    /** The GPU that the engine takes where nobody has chosen one: that of its settings, or the first. */
    public static final int ANY_GPU = -1;

    /** None may be used: a model that may run anywhere runs on the CPU. */
    public static final int NO_GPU = -2;

    /** Any engine, any device, one thread. */
    public static final ModelOptions DEFAULT = new ModelOptions("auto", Device.AUTO, 1);

    /** Checks the numbers. */
    public ModelOptions {
        inputShape = List.copyOf(inputShape);
        if (threads < 1) {
            throw new IllegalArgumentException("a model needs at least 1 thread, got " + threads);
        }
        if (gpu < NO_GPU) {
            throw new IllegalArgumentException("the number of a GPU must be at least 0, " + ANY_GPU + " for any, or "
                    + NO_GPU + " for none, got " + gpu);
        }
        if (gpu == NO_GPU && device == Device.CUDA) {
            throw new IllegalArgumentException("a model for the device CUDA must have a GPU, got " + NO_GPU
                    + " for none: let it run anywhere, or on the CPU");
        }
        if (inputShape.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException(
                    "every dimension of the input of one row must be at least 1, got " + inputShape);
        }
    }

    /** Options for a model with an input shape of its own, any GPU, and no protection. */
    public ModelOptions(String engine, Device device, int threads) {
        this(engine, device, threads, List.of(), ANY_GPU, Protection.OFF);
    }

    /** The number of the GPU for an engine without settings for it: any is the first. */
    public int gpuOrFirst() {
        return Math.max(0, gpu);
    }

    /** These options with another engine. */
    public ModelOptions withEngine(String name) {
        return new ModelOptions(name, device, threads, inputShape, gpu, protection);
    }

    /** These options with another device. */
    public ModelOptions withDevice(Device wanted) {
        return new ModelOptions(engine, wanted, threads, inputShape, gpu, protection);
    }

    /** These options with another number of threads. */
    public ModelOptions withThreads(int count) {
        return new ModelOptions(engine, device, count, inputShape, gpu, protection);
    }

    /** These options with the input shape of one row, without the batch: for example 3, 32, 32. */
    public ModelOptions withInputShape(List<Integer> shape) {
        return new ModelOptions(engine, device, threads, shape, gpu, protection);
    }

    /** These options with another GPU. */
    public ModelOptions withGpu(int number) {
        return new ModelOptions(engine, device, threads, inputShape, number, protection);
    }

    /** These options with another protection. */
    public ModelOptions withProtection(Protection wanted) {
        return new ModelOptions(engine, device, threads, inputShape, gpu, wanted);
    }
}
