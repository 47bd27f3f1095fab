/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.TaskProfile;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;

/** The resources of a task that predicts; 0 where they are those of other tasks. */
record TaskResources(int cpus, double gpus) {

    static TaskResources of(Options options) {
        return new TaskResources(options.get(EngineSettings.TASK_CPUS), options.get(EngineSettings.TASK_GPUS));
    }

    /** Requests the resources for the stage of an RDD, unless they are those of other tasks. */
    RDD<InternalRow> apply(RDD<InternalRow> rows) {
        return cpus == 0 && gpus == 0 ? rows : rows.withResources(TaskProfile.of(rows.context(), cpus, gpus));
    }
}
