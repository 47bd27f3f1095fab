/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.spark.SparkSetting;
import io.paritas.inference.spark.driver.Coordinator;
import io.paritas.inference.spark.input.InputFormat;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.task.Metrics;
import io.paritas.inference.spark.task.ModelSource;
import io.paritas.inference.spark.task.OnError;
import io.paritas.inference.spark.task.PredictionPlan;
import io.paritas.inference.spark.task.RowPlan;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/**
 * A call whose models are read and whose columns are checked.
 *
 * @param options that hold for it
 * @param path of the model, as the call names it
 * @param file of the model
 * @param fold images in a stack of a folded model, 1 for others
 * @param input of one row
 * @param outputs values of a prediction
 * @param reader of the columns
 * @param parity its parity models, if it is to be coded and can be
 * @param uncoded why it is not coded, though it could have been
 */
record Prepared(
        Options options,
        String path,
        ModelFile file,
        int fold,
        TensorSpec input,
        int outputs,
        RowReader reader,
        Optional<ParityModels> parity,
        Optional<String> uncoded) {

    private static final int BATCH_BYTES = 16 << 20;
    private static final int BATCH_ROWS = 256;

    /**
     * Prepares a call.
     *
     * @throws IllegalArgumentException if options or columns are wrong
     * @throws ModelException if a model is missing, damaged, or not for that call
     */
    static Prepared of(Call call, List<? extends Expression> inputs) {
        Options options = Options.of(call.options());
        checkAll(options);
        if (call.kind() == Kind.FOLDED) {
            FoldedNetwork folded = Models.folded(call.model());
            TensorSpec input = folded.bundle().descriptor().input();
            int outputs = folded.bundle().descriptor().output().size();
            return new Prepared(
                    options,
                    call.model(),
                    folded.model(),
                    folded.fold(),
                    input,
                    outputs,
                    reader(input, options, inputs),
                    Optional.empty(),
                    Optional.empty());
        }
        DeployedModel deployed = Models.deployed(
                call.model(),
                options.text(SparkSetting.ENGINE),
                options.sizes(SparkSetting.SHAPE),
                protection(options));
        RowReader reader = reader(deployed.input(), options, inputs);
        Optional<ParityModels> parity = Optional.empty();
        Optional<String> uncoded = Optional.empty();
        if (call.kind() == Kind.CODED) {
            ParityModels models = Models.parity(options.text(SparkSetting.PARITY), call.model());
            models.bundle().requireFor(deployed.file());
            units(models, options);
            uncoded = whyUncoded(models, options);
            parity = uncoded.isEmpty() ? Optional.of(models) : Optional.empty();
        }
        return new Prepared(
                options,
                call.model(),
                deployed.file(),
                1,
                deployed.input(),
                deployed.output().size(),
                reader,
                parity,
                uncoded);
    }

    /** Wrong values are refused even where they would not be used. */
    private static void checkAll(Options options) {
        batchRows(options, 1);
        onError(options);
        options.word(SparkSetting.DEVICE, Device.class);
        options.word(SparkSetting.EXCHANGE, Exchange.class);
        options.whole(SparkSetting.THREADS, 1);
        options.whole(SparkSetting.UNITS, 0);
        options.whole(SparkSetting.TASK_CPUS, 0);
        options.number(SparkSetting.TASK_GPUS, 0, Double.MAX_VALUE);
        options.number(SparkSetting.SHARE, 0, 1);
        options.number(SparkSetting.PATIENCE, 1, Double.MAX_VALUE);
        options.number(SparkSetting.DEADLINE, 0, Double.MAX_VALUE);
        options.number(SparkSetting.MIN_ACCURACY, 0, 1);
        options.is(SparkSetting.ENABLED);
        options.word(SparkSetting.EXPLAIN, Explain.class);
        protection(options);
    }

    /** How the deployed model is protected. */
    private static Protection protection(Options options) {
        Mode mode = options.word(SparkSetting.PROTECT, Mode.class);
        String plan = options.text(SparkSetting.PROTECT_PLAN);
        return new Protection(mode, mode == Mode.GUIDED && !plan.isEmpty() ? Models.protectionPlan(plan) : "");
    }

    private static RowReader reader(TensorSpec input, Options options, List<? extends Expression> inputs) {
        return RowReader.of(
                input,
                InputFormat.parse(options::text),
                inputs.stream().map(Prepared::name).toList(),
                inputs.stream().map(Expression::dataType).toList());
    }

    private static String name(Expression input) {
        return input instanceof NamedExpression named ? named.name() : input.sql();
    }

    private static Optional<String> whyUncoded(ParityModels models, Options options) {
        if (!options.is(SparkSetting.ENABLED)) {
            return Optional.of(SparkSetting.ENABLED.key() + " is false");
        }
        if (Coordinator.running().isEmpty()) {
            return Optional.of("tasks need a coordinator: start the application with"
                    + " spark.plugins=io.paritas.inference.spark.CodedInferencePlugin");
        }
        double bound = options.number(SparkSetting.MIN_ACCURACY, 0, 1);
        Double measured = models.bundle().descriptor().accuracy() == null
                ? null
                : models.bundle().descriptor().accuracy().get("degraded.1-lost");
        if (bound > 0 && (measured == null || measured < bound)) {
            return Optional.of((measured == null
                            ? "the accuracy with which the parity models reconstruct was not measured"
                            : "the parity models reconstruct with an accuracy of " + measured)
                    + ", and " + SparkSetting.MIN_ACCURACY.key() + " is " + bound);
        }
        return Optional.empty();
    }

    /** How many of the parity models are used. */
    static int r(ParityModels models, Options options) {
        int all = models.plan().code().r();
        int wanted = options.whole(SparkSetting.R, 0);
        if (wanted > all) {
            throw new IllegalArgumentException("the parity models are r = " + all + ", " + SparkSetting.R.key() + " is "
                    + wanted + ": train more of them, or ask for fewer");
        }
        return wanted == 0 ? all : wanted;
    }

    /** How many units there are to be; 0 if nobody said. */
    static int units(ParityModels models, Options options) {
        int n = models.plan().code().k() + r(models, options);
        int units = options.whole(SparkSetting.UNITS, 0);
        if (units % n != 0) {
            throw options.wrong(SparkSetting.UNITS, "a multiple of k + r = " + n);
        }
        return units;
    }

    private static OnError onError(Options options) {
        return options.word(SparkSetting.ON_ERROR, OnError.class);
    }

    /** The type of a call's column. */
    static DataType answer(Call call) {
        StructType answer = new StructType()
                .add("prediction", DataTypes.createArrayType(DataTypes.FloatType, false), true)
                .add("outcome", DataTypes.StringType, false);
        return onError(Options.of(call.options())) == OnError.COLUMN
                ? answer.add("error", DataTypes.StringType, true)
                : answer;
    }

    private static int batchRows(Options options, int rowBytes) {
        int wanted = options.whole(SparkSetting.BATCH_ROWS, 0);
        return wanted > 0 ? wanted : Math.max(1, Math.min(BATCH_ROWS, BATCH_BYTES / rowBytes));
    }

    /** What tasks need to know. */
    PredictionPlan plan(
            SparkContext context, Seq<Expression> inputs, Seq<Expression> columns, DataType answer, Metrics metrics) {
        int rows = batchRows(options, input.size() * Float.BYTES);
        int wholeStacks = (rows + fold - 1) / fold * fold;
        return new PredictionPlan(
                source(path, file, context),
                new RowPlan(reader, inputs, columns, answer, outputs, wholeStacks, onError(options)),
                metrics);
    }

    /** A model for the executors, as the options say; its name is for messages. */
    ModelSource source(String name, ModelFile model, SparkContext context) {
        List<Integer> shape = fold == 1 ? input.shape() : List.of();
        return new ModelSource(
                name,
                Models.broadcast(model, context),
                fold,
                options.text(SparkSetting.ENGINE),
                options.word(SparkSetting.DEVICE, Device.class),
                options.whole(SparkSetting.THREADS, 1),
                shape,
                protection(model));
    }

    /** A plan is for the deployed model; parity models are measured where they are loaded. */
    private Protection protection(ModelFile model) {
        Protection wanted = protection(options);
        return model.sha256().equals(file.sha256()) ? wanted : Protection.of(wanted.mode());
    }
}
