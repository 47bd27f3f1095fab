/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.inference.Device;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.ModelException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.resource.ResourceInformation;
import org.slf4j.LoggerFactory;

/** The GPU that Spark assigned to a task, or to its executor if tasks get none. Thread-safe. */
public final class AssignedGpu {
    private static final String GPU = "gpu";

    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private static volatile GpuChoice ofExecutor = GpuChoice.ANY;

    private AssignedGpu() {}

    /**
     * Tells what Spark assigned to this executor. One GPU is that of all tasks that have none of their own. If its address is no number,
     * nothing is known of it.
     */
    public static void executorHas(Map<String, ResourceInformation> resources) {
        ResourceInformation gpus = resources.get(GPU);
        ofExecutor = gpus != null && gpus.addresses().length == 1
                ? parse(gpus.addresses()[0]).orElse(GpuChoice.ANY)
                : GpuChoice.ANY;
    }

    /**
     * Its number among those that the executor sees; {@link GpuChoice#ANY} if neither the task nor the executor has one, the
     * executor has several, or the model runs on the CPU. If the task's has an address that is not a number, {@link GpuChoice#NONE} for a
     * model that may run anywhere, with a warning.
     *
     * @param resources of the task
     * @param device where the model is to run
     * @throws ModelException if the model is to run on a GPU, and the address of the task's is not a number
     */
    public static GpuChoice of(Map<String, ResourceInformation> resources, Device device) {
        if (device == Device.CPU) {
            return GpuChoice.ANY;
        }
        ResourceInformation gpus = resources.get(GPU);
        if (gpus == null) {
            return ofExecutor;
        }
        String address = gpus.addresses()[0];
        return parse(address).orElseGet(() -> none(address, device));
    }

    private static GpuChoice none(String address, Device device) {
        String reason =
                "the address of a task's GPU must be its number among those that the executor sees, Spark assigned '"
                        + address
                        + "': let spark.executor.resource.gpu.discoveryScript (or that of the worker) print numbers";
        if (device == Device.CUDA) {
            throw new ModelException(reason + ", or predict on the CPU with " + EngineSettings.DEVICE.key() + "=cpu");
        }
        if (TOLD.add(address)) {
            LoggerFactory.getLogger(AssignedGpu.class).warn("Paritas: tasks predict on the CPU: {}", reason);
        }
        return GpuChoice.NONE;
    }

    private static Optional<GpuChoice> parse(String address) {
        try {
            return Optional.of(GpuChoice.of(Integer.parseInt(address)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
