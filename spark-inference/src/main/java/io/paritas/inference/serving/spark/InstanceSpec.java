/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.spark.settings.EngineSpec;
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
 * @param models of its roles: one for an instance, all for a spare
 * @param warmUp what it predicts before it takes queries, as {@link Serialised} writes it
 * @param traces where its spans go
 */
record InstanceSpec(
        ServingHandle service,
        String id,
        Duty duty,
        Map<Role, RoleModel> models,
        Broadcast<byte[]> warmUp,
        TraceOptions traces)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /** What it is for. */
    enum Duty {
        /** To answer for its role. */
        SERVE,
        /** To answer for a lost instance of any role, until that is back. */
        STAND_BY
    }

    /**
     * The model of a role.
     *
     * @param file the model
     * @param engine how to run it
     */
    record RoleModel(SentModel file, EngineSpec engine) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /** Copies the map. */
    InstanceSpec {
        models = new TreeMap<>(models);
    }
}
