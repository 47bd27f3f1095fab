/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.ModelPool;
import io.paritas.inference.Protection;
import io.paritas.inference.folded.FoldedModel;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.resource.ResourceInformation;

/**
 * A model that executors can load: each of them once, whatever its tasks do.
 *
 * @param name of the model, for messages
 * @param file the model
 * @param fold images in a stack of a folded model, 1 for an ordinary model
 * @param engine name of a model engine, or auto
 * @param device where to run
 * @param threads of the engine for one prediction
 * @param inputShape of one row of the file's model, for one that does not tell it
 * @param protection whether it checks what it computes
 */
public record ModelSource(
        String name,
        Broadcast<ModelFile> file,
        int fold,
        String engine,
        Device device,
        int threads,
        List<Integer> inputShape,
        Protection protection)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /** Keeps a list that can be serialized. */
    public ModelSource {
        inputShape = new ArrayList<>(inputShape);
    }

    /** Leases the model, on the GPU that Spark assigned to the task, if it assigned one. */
    Model acquire(TaskContext task) {
        ModelOptions options = new ModelOptions(engine, device, threads)
                .withInputShape(inputShape)
                .withGpu(gpu(task))
                .withProtection(protection);
        Model model = ModelPool.shared().acquire(file.value(), options).model();
        return fold > 1 ? new FoldedModel(model, fold) : model;
    }

    private static int gpu(TaskContext task) {
        ResourceInformation gpus = task.resourcesJMap().get("gpu");
        return gpus == null ? 0 : Integer.parseInt(gpus.addresses()[0]);
    }
}
