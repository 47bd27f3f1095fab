/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

/**
 * How to load a model.
 *
 * @param engine name of a {@link ModelEngine}, or {@code auto} for the first that reads the format and works here
 * @param device where to run
 * @param threads of the engine for one prediction; 1 is right where several tasks share a machine, as in a Spark executor
 */
public record ModelOptions(String engine, Device device, int threads) {

    /** Any engine, any device, one thread. */
    public static final ModelOptions DEFAULT = new ModelOptions("auto", Device.AUTO, 1);

    /** Checks the number of threads. */
    public ModelOptions {
        if (threads < 1) {
            throw new IllegalArgumentException("a model needs at least 1 thread, got " + threads);
        }
    }

    public ModelOptions withEngine(String name) {
        return new ModelOptions(name, device, threads);
    }

    public ModelOptions withDevice(Device wanted) {
        return new ModelOptions(engine, wanted, threads);
    }

    public ModelOptions withThreads(int count) {
        return new ModelOptions(engine, device, count);
    }
}
