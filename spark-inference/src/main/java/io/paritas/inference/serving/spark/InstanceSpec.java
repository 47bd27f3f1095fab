/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.Device;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.spark.settings.SentModel;
import io.paritas.spark.job.Serialised;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.broadcast.Broadcast;

/**
 * The specification of an instance or a spare.
 *
 * @param service the served model, and where the driver listens
 * @param id place in the deployment
 * @param duty whether it answers, or stands by
 * @param files the models of its roles: one for an instance, all for a spare
 * @param warmUp what it predicts before it takes queries, as {@link Serialised} writes it
 * @param traces where its spans go
 * @param engine name of a model engine, or {@code auto}
 * @param device where the model runs
 * @param threads of the engine
 * @param protection of the deployed model
 */
record InstanceSpec(
        ServingHandle service,
        String id,
        Duty duty,
        Map<Role, SentModel> files,
        Broadcast<byte[]> warmUp,
        TraceOptions traces,
        String engine,
        Device device,
        int threads,
        Protection protection)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /** What it is for. */
    enum Duty {
        /** To answer for its role. */
        SERVE,
        /** To answer for a lost instance of any role, until that is back. */
        STAND_BY
    }

    /** Copies the map. */
    InstanceSpec {
        files = new TreeMap<>(files);
    }

    /** The name of the model of a role in pools. */
    String poolName(Role role) {
        return files.get(role).poolName(options(role, GpuChoice.ANY));
    }

    /** How to load the model of a role on a GPU, or on the CPU. */
    ModelOptions options(Role role, GpuChoice gpu) {
        return ServingPlan.loading(role, new ModelOptions(engine, device, threads).withProtection(protection))
                .withInputShape(service.model().input().shape())
                .withGpu(gpu);
    }
}
