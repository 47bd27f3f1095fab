/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.inference.GpuChoice;
import io.paritas.inference.Model;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelPool;
import java.io.Serializable;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.resource.ResourceInformation;
import scala.reflect.ClassTag$;

/**
 * A model that tasks can load. Its bytes are broadcast, not the file: every {@code spark.serializer} writes bytes, and Kryo writes
 * no class that must be registered and is not. Each executor loads it once, for all its tasks.
 *
 * @param sha256 the hash of the file
 * @param bytes of the file
 */
public record SentModel(String sha256, Broadcast<byte[]> bytes) implements Serializable {
    private static final long serialVersionUID = 1;

    /** Broadcasts a model. */
    public static SentModel of(ModelFile file, SparkContext context) {
        return new SentModel(
                file.sha256(), context.broadcast(file.bytes(), ClassTag$.MODULE$.<byte[]>apply(byte[].class)));
    }

    /**
     * Leases the model from the pool of this JVM, on the GPU that Spark assigned to the task, if it assigned one. Closing the model
     * ends the lease.
     *
     * @param resources of the task
     */
    public Model acquire(EngineSpec engine, Map<String, ResourceInformation> resources) {
        GpuChoice gpu = AssignedGpu.of(resources, engine.device());
        return ModelPool.shared()
                .acquire(sha256, () -> ModelFile.of(bytes.value()), engine.on(gpu))
                .model();
    }

    /** The name of the model in the pools of all executors. */
    public String poolName(EngineSpec engine) {
        return ModelPool.name(sha256, engine.on(GpuChoice.ANY));
    }
}
