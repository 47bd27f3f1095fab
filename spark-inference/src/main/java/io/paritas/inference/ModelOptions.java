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
 * @param gpu which GPU; ignored on the CPU
 * @param protection how the model checks what it computes
 */
@PublicApi
public record ModelOptions(
        String engine, Device device, int threads, List<Integer> inputShape, GpuChoice gpu, Protection protection) {

    /** Any engine, any device, one thread. */
    public static final ModelOptions DEFAULT = new ModelOptions("auto", Device.AUTO, 1);

    /** Checks the numbers. */
    public ModelOptions {
        inputShape = List.copyOf(inputShape);
        if (threads < 1) {
            throw new IllegalArgumentException("a model needs at least 1 thread, got " + threads);
        }
        if (gpu.equals(GpuChoice.NONE) && device == Device.CUDA) {
            throw new IllegalArgumentException(
                    "a model for the device CUDA must have a GPU, got none: let it run anywhere, or on the CPU");
        }
        if (inputShape.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException(
                    "every dimension of the input of one row must be at least 1, got " + inputShape);
        }
    }

    /** Options for a model with an input shape of its own, any GPU, and no protection. */
    public ModelOptions(String engine, Device device, int threads) {
        this(engine, device, threads, List.of(), GpuChoice.ANY, Protection.OFF);
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
    public ModelOptions withGpu(GpuChoice choice) {
        return new ModelOptions(engine, device, threads, inputShape, choice, protection);
    }

    /** These options with another protection. */
    public ModelOptions withProtection(Protection wanted) {
        return new ModelOptions(engine, device, threads, inputShape, gpu, wanted);
    }
}
