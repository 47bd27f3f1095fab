/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Model;
import io.paritas.inference.folded.FoldedModel;
import io.paritas.inference.spark.settings.EngineSpec;
import io.paritas.inference.spark.settings.SentModel;
import java.io.Serializable;
import org.apache.spark.TaskContext;

/**
 * A model that executors can load. Each executor loads it once, for all its tasks.
 *
 * @param name name of the model, for messages
 * @param file the model
 * @param fold images in a stack of a folded model, 1 for an ordinary model
 * @param engine how to run it
 * @param agreement the distance of answers to an image in two places of a stack that sound ones seldom exceed; infinite if it is not
 *     checked
 */
public record ModelSource(String name, SentModel file, int fold, EngineSpec engine, double agreement)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /** Leases the model, on the GPU that Spark assigned to the task, if it assigned one. */
    Model acquire(TaskContext task) {
        Model model = file.acquire(engine, task.resourcesJMap());
        return fold > 1 ? new FoldedModel(model, fold) : model;
    }

    /** The name of the model in the pools of all executors. */
    String poolName() {
        return file.poolName(engine);
    }
}
