/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.util.List;

/**
 * How to load a model.
 *
 * @param engine name of a {@link ModelEngine}, or {@code auto} for the first that reads the format and works here
 * @param device where to run
 * @param threads of the engine for one prediction; 1 is right where several tasks share a machine, as in a Spark executor
 * @param inputShape of one row, for a model that does not tell it (TorchScript that Paritas did not write); empty to take
 *     what the model tells, which a shape that is given must equal
 * @param gpu which of the GPUs that CUDA shows, from 0 on; without meaning where the model runs on the CPU
 * @param protection whether the model checks what it computes
 */
public record ModelOptions(
        String engine, Device device, int threads, List<Integer> inputShape, int gpu, Protection protection) {

    /** Any engine, any device, one thread. */
    public static final ModelOptions DEFAULT = new ModelOptions("auto", Device.AUTO, 1);

    /** Checks the numbers. */
    public ModelOptions {
        inputShape = List.copyOf(inputShape);
        if (threads < 1) {
            throw new IllegalArgumentException("a model needs at least 1 thread, got " + threads);
        }
        if (gpu < 0) {
            throw new IllegalArgumentException("GPUs are numbered from 0 on, got " + gpu);
        }
        if (inputShape.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException(
                    "every dimension of the input of one row must be at least 1, got " + inputShape);
        }
    }

    /** For a model that tells the shape of its input, and the first GPU. */
    public ModelOptions(String engine, Device device, int threads) {
        this(engine, device, threads, List.of(), 0, Protection.OFF);
    }

    public ModelOptions withEngine(String name) {
        return new ModelOptions(name, device, threads, inputShape, gpu, protection);
    }

    public ModelOptions withDevice(Device wanted) {
        return new ModelOptions(engine, wanted, threads, inputShape, gpu, protection);
    }

    public ModelOptions withThreads(int count) {
        return new ModelOptions(engine, device, count, inputShape, gpu, protection);
    }

    /** The shape of the input of one row, without the batch: for example 3, 32, 32. */
    public ModelOptions withInputShape(List<Integer> shape) {
        return new ModelOptions(engine, device, threads, shape, gpu, protection);
    }

    /** The GPU to use where the model runs on one. */
    public ModelOptions withGpu(int number) {
        return new ModelOptions(engine, device, threads, inputShape, number, protection);
    }

    /** How the model checks what it computes. */
    public ModelOptions withProtection(Protection wanted) {
        return new ModelOptions(engine, device, threads, inputShape, gpu, wanted);
    }
}
