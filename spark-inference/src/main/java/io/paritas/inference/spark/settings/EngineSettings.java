/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;
import io.paritas.inference.Device;
import io.paritas.inference.Protection;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;

/** The settings of model engines and of the tasks that run them, {@code spark.paritas.engine.*}. Immutable. */
@PublicApi
public final class EngineSettings {
    static final SettingGroup GROUP = new SettingGroup("spark.paritas.engine.");

    /** Rows of one call of the model. */
    public static final Setting<Integer> BATCH_ROWS = GROUP.option(
            "batchRows",
            Values.atLeast(0).of("rows"),
            "0",
            "Rows of one call of the model. 0 is as many as make batchBytes of input, 256 at most.");

    /** Bytes of the rows of one call of the model. */
    public static final Setting<Long> BATCH_BYTES = GROUP.option(
            "batchBytes",
            Values.bytes(1, 1 << 30),
            "16m",
            "Bytes of the rows of one call of the model: the columns that the query wants afterwards, and the inputs as"
                    + " they are read. A batch ends with the row that reaches them. A task holds a few batches at once, and one"
                    + " that forms coding groups k more, which Spark may spill.");

    /** What happens to a row that cannot be predicted. */
    public static final Setting<OnError> ON_ERROR = GROUP.option(
            "onError",
            Values.oneOf(OnError.class),
            "fail",
            "What a row that cannot be predicted does: fail the job, null (its prediction), or column (null, and the"
                    + " reason in the field error).");

    /** Name of the model engine; the option is {@code engine}. */
    public static final Setting<String> NAME = GROUP.option(
            "name",
            "engine",
            Values.text().of("name"),
            "auto",
            "The model engine: auto, gpu, onnxruntime, libtorch or protected.");

    /** How models check what they compute. */
    public static final Setting<Protection.Mode> PROTECT = GROUP.option(
            "protect",
            Values.oneOf(Protection.Mode.class),
            "off",
            "Whether models check what they compute: off, global, thread, weighted (on the CPU only; finds any two"
                    + " wrong values in a register tile, too), or guided (in each layer by what costs it the least)."
                    + " The engine is then protected, or gpu for the device cuda. What is wrong is computed once more,"
                    + " and the batch fails if it stays wrong.");

    /** Path of a plan of guided protection. */
    public static final Setting<String> PROTECT_PLAN = GROUP.option(
            "protectPlan",
            Values.text().of("path"),
            "",
            "For guided protection, the plan that bin/paritas protect plan made for the model. Empty measures when the"
                    + " model is loaded.");

    /** Confidence from which the small model of a cascade answers; the option is {@code threshold}. */
    public static final Setting<Double> CASCADE_THRESHOLD = GROUP.option(
            "cascadeThreshold",
            "threshold",
            Values.decimalBetween(0, 1).of("probability"),
            "0",
            "The probability of the predicted class from which the small model of a cascade is sure. 0 is that of its"
                    + " calibration.");

    /** Where models run. */
    public static final Setting<Device> DEVICE = GROUP.option(
            "device",
            Values.oneOf(Device.class),
            "auto",
            "Where models run: auto (on a GPU where one works), cpu or cuda. cuda never falls back; a task's GPU is the one that Spark assigned"
                    + " to it.");

    /** Threads of the engine for one task. */
    public static final Setting<Integer> THREADS = GROUP.option(
            "threads",
            Values.atLeast(1).of("threads"),
            "1",
            "Threads of the engine for one task. ONNX Runtime takes no more than there are processors.");

    /** Cores of a task that predicts. */
    public static final Setting<Integer> TASK_CPUS = GROUP.option(
            "taskCpus",
            Values.atLeast(0).of("cores"),
            "0",
            "Cores of a task that predicts, as a resource profile of its stage. 0 is spark.task.cpus.");

    /** GPUs of a task that predicts. */
    public static final Setting<Double> TASK_GPUS = GROUP.option(
            "taskGpus",
            Values.countOrShare().of("GPUs"),
            "0",
            "GPUs of a task that predicts, as a resource profile of its stage; 0.5 shares one between two. 0 is"
                    + " spark.task.resource.gpu.amount.");

    private EngineSettings() {}
}
