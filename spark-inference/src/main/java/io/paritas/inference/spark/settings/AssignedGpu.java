/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelOptions;
import java.util.Map;
import org.apache.spark.resource.ResourceInformation;

/** The GPU that Spark assigned to a task. */
public final class AssignedGpu {
    private AssignedGpu() {}

    /**
     * Its number among those that the executor sees; {@link ModelOptions#ANY_GPU} if Spark assigned none, or the model runs on the CPU.
     *
     * @param resources of the task
     * @param device where the model is to run
     * @throws ModelException if its address is not a number
     */
    public static int number(Map<String, ResourceInformation> resources, Device device) {
        ResourceInformation gpus = resources.get("gpu");
        if (gpus == null || device == Device.CPU) {
            return ModelOptions.ANY_GPU;
        }
        String address = gpus.addresses()[0];
        try {
            return Integer.parseUnsignedInt(address);
        } catch (NumberFormatException e) {
            throw new ModelException(
                    "the address of a task's GPU must be its number among those that the executor sees, Spark assigned '"
                            + address
                            + "': let spark.executor.resource.gpu.discoveryScript (or that of the worker) print"
                            + " numbers, or predict on the CPU with " + EngineSettings.DEVICE.key() + "=cpu",
                    e);
        }
    }
}
