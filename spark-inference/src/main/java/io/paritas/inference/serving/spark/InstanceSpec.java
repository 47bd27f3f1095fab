/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.serving.Role;
import java.io.Serializable;
import org.apache.spark.broadcast.Broadcast;

/**
 * The specification of an instance.
 *
 * @param service the served model, and where the driver listens
 * @param id place in the deployment
 * @param role deployed, parity or backup model
 * @param file the bytes of that model
 * @param engine name of a model engine, or {@code auto}
 * @param device where the model runs
 * @param threads of the engine
 */
record InstanceSpec(
        ServingHandle service,
        String id,
        Role role,
        Broadcast<ModelFile> file,
        String engine,
        Device device,
        int threads)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /** How to load the model on a GPU of that number, or on the CPU. */
    ModelOptions options(int gpu) {
        return new ModelOptions(engine, device, threads)
                .withInputShape(service.model().input().shape())
                .withGpu(gpu);
    }
}
