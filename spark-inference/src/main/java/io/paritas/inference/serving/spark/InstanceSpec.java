/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.serving.Role;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;

/**
 * What an instance is to be.
 *
 * @param model name of the served model
 * @param version of it
 * @param id its place in the deployment
 * @param role what it runs
 * @param file what it runs
 * @param engine name of a model engine, or auto
 * @param device where to run
 * @param threads of the engine
 * @param inputShape of one row
 * @param registryHost where the driver listens
 * @param registryPort the same
 */
record InstanceSpec(
        String model,
        String version,
        String id,
        Role role,
        Broadcast<ModelFile> file,
        String engine,
        Device device,
        int threads,
        List<Integer> inputShape,
        String registryHost,
        int registryPort)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /** Keeps a list that can be serialized. */
    InstanceSpec {
        inputShape = new ArrayList<>(inputShape);
    }
}
