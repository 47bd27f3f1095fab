/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Device;
import io.paritas.inference.GpuChoice;
import io.paritas.inference.Model;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.folded.FoldedModel;
import io.paritas.inference.spark.settings.AssignedGpu;
import io.paritas.inference.spark.settings.SentModel;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
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

    /**
     * How an engine runs a model.
     *
     * @param name name of a model engine, or auto
     * @param device where to run
     * @param threads threads of the engine for one prediction
     * @param inputShape shape of one row, for a file that does not tell it
     * @param protection how the model checks what it computes
     */
    public record EngineSpec(String name, Device device, int threads, List<Integer> inputShape, Protection protection)
            implements Serializable {
        private static final long serialVersionUID = 1;

        /** Copies the list into one that can be serialized. */
        public EngineSpec {
            inputShape = new ArrayList<>(inputShape);
        }

        private ModelOptions options(GpuChoice gpu) {
            return new ModelOptions(name, device, threads, inputShape, gpu, protection);
        }
    }

    /** Leases the model, on the GPU that Spark assigned to the task, if it assigned one. */
    Model acquire(TaskContext task) {
        ModelOptions options = engine.options(AssignedGpu.of(task.resourcesJMap(), engine.device()));
        Model model = file.acquire(options);
        return fold > 1 ? new FoldedModel(model, fold) : model;
    }

    /** The name of the model in the pools of all executors. */
    String poolName() {
        return file.poolName(engine.options(GpuChoice.ANY));
    }
}
