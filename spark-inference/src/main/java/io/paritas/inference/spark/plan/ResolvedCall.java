/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.Bundle;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.parity.PredictionCode;
import io.paritas.inference.parity.ResidualDistribution;
import io.paritas.inference.spark.driver.Coordinator;
import io.paritas.inference.spark.input.InputFormat;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.screen.ScreeningBounds;
import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.EngineSpec;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.inference.spark.task.BatchLimit;
import io.paritas.inference.spark.task.CascadePrediction;
import io.paritas.inference.spark.task.Metrics;
import io.paritas.inference.spark.task.ModelSource;
import io.paritas.inference.spark.task.PredictionPlan;
import io.paritas.inference.spark.task.RowPlan;
import io.paritas.settings.Setting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/**
 * A call whose models are read and whose columns are checked.
 *
 * @param options settings of the call
 * @param model the deployed or folded model
 * @param reader reader of the columns
 * @param parity the code of the predictions; empty if the call is not coded
 * @param uncoded why a coded call is not coded; empty for all others
 * @param small the small model of a cascade; empty for all others
 */
record ResolvedCall(
        Options options,
        NamedModel model,
        RowReader reader,
        Optional<PredictionCode> parity,
        Optional<String> uncoded,
        Optional<SmallModel> small) {

    private static final int BATCH_ROWS = 256;
    private static final int LONGEST_NAME = 200;

    /**
     * The model that a call names.
     *
     * @param path path of the model, as the call names it
     * @param file the model
     * @param fold images in a stack of a folded model, 1 for others
     * @param input the model's input for one row
     * @param outputs number of values of a prediction
     * @param turns how far answers of sound stacks are apart, of a folded model that was calibrated
     */
    record NamedModel(
            String path,
            ModelFile file,
            int fold,
            TensorSpec input,
            int outputs,
            Optional<ResidualDistribution> turns) {
        static NamedModel of(String path, FoldedNetwork folded) {
            Bundle bundle = folded.bundle();
            return new NamedModel(
                    path,
                    folded.model(),
                    folded.fold(),
                    bundle.input(),
                    bundle.output().size(),
                    folded.turns());
        }

        static NamedModel of(String path, DeployedModel deployed) {
            return new NamedModel(
                    path,
                    deployed.file(),
                    1,
                    deployed.input(),
                    deployed.output().size(),
                    Optional.empty());
        }
    }

    /**
     * Resolves a call.
     *
     * @throws IllegalArgumentException if options or columns are wrong
     * @throws ModelException if a model is missing, damaged, or not for that call
     */
    static ResolvedCall of(Call call, List<? extends Expression> inputs) {
        Options options = Options.of(call);
        options.checkAll();
        protection(options);
        requireUsed(call, options);
        if (call.kind() == Kind.FOLDED) {
            NamedModel folded = NamedModel.of(call.model(), Models.folded(call.model()));
            RowReader reader = reader(folded.input(), options, inputs);
            return new ResolvedCall(options, folded, reader, Optional.empty(), Optional.empty(), Optional.empty());
        }
        DeployedModel deployed = Models.deployed(call.model(), options, protection(options));
        RowReader reader = reader(deployed.input(), options, inputs);
        Optional<PredictionCode> parity = Optional.empty();
        Optional<String> uncoded = Optional.empty();
        if (call.kind() == Kind.CODED) {
            PredictionCode models = Models.parity(options.get(CodedSettings.PARITY), call.model());
            models.bundle().requireFor(deployed.file());
            segments(models, options);
            uncoded = whyUncoded(models, options);
            parity = uncoded.isEmpty() ? Optional.of(models) : Optional.empty();
        }
        Optional<SmallModel> small = call.kind() == Kind.CASCADE
                ? Optional.of(SmallModel.of(call.models().get(0), options, deployed))
                : Optional.empty();
        return new ResolvedCall(options, NamedModel.of(call.model(), deployed), reader, parity, uncoded, small);
    }

    /** An option that has no effect would be believed to have one. Settings of a session hold for several functions. */
    private static void requireUsed(Call call, Options options) {
        for (String name : call.options().keySet()) {
            Setting<?> setting = CallSettings.ofOption(name).orElseThrow();
            Kind.only(setting).ifPresent(kind -> requireKind(kind, call, name));
            if (setting.equals(EngineSettings.PROTECT_PLAN) && options.get(EngineSettings.PROTECT) != Mode.GUIDED) {
                throw new IllegalArgumentException("the option " + name + " is for protect=guided, got protect="
                        + options.get(EngineSettings.PROTECT).name().toLowerCase(Locale.ROOT)
                        + ": leave it out, or ask for guided protection");
            }
        }
    }

    private static void requireKind(Kind kind, Call call, String option) {
        if (call.kind() != kind) {
            throw new IllegalArgumentException("the option " + option + " is one of " + kind.function()
                    + ", got it for " + call.kind().function() + ": leave it out, or call " + kind.function());
        }
    }

    /** How the deployed model is protected. */
    private static Protection protection(Options options) {
        Mode mode = options.get(EngineSettings.PROTECT);
        String plan = options.get(EngineSettings.PROTECT_PLAN);
        return new Protection(mode, mode == Mode.GUIDED && !plan.isEmpty() ? Models.protectionPlan(plan) : "");
    }

    private static RowReader reader(TensorSpec input, Options options, List<? extends Expression> inputs) {
        return RowReader.of(
                input,
                InputFormat.of(options::text),
                inputs.stream().map(ResolvedCall::name).toList(),
                inputs.stream().map(Expression::dataType).toList());
    }

    /** The name of an input, for messages and plans. Of a computed one it is the SQL, which may have thousands of columns. */
    static String name(Expression input) {
        if (input instanceof NamedExpression named) {
            return named.name();
        }
        String sql = input.sql();
        return sql.length() <= LONGEST_NAME ? sql : sql.substring(0, LONGEST_NAME) + "...";
    }

    private static Optional<String> whyUncoded(PredictionCode models, Options options) {
        if (!options.get(CodedSettings.ENABLED)) {
            return Optional.of(CodedSettings.ENABLED.key() + " is false");
        }
        if (Coordinator.running().isEmpty()) {
            return Optional.of(whyNoCoordinator());
        }
        double bound = options.get(CodedSettings.MIN_ACCURACY);
        if (bound == 0 || models.exact()) {
            return Optional.empty();
        }
        return IntStream.rangeClosed(1, r(models, options))
                .mapToObj(lost -> tooInaccurate(models, lost, bound))
                .flatMap(Optional::stream)
                .findFirst()
                .map(reason -> reason + ", and " + CodedSettings.MIN_ACCURACY.key() + " is " + bound);
    }

    /** An application that ends has closed its coordinator already. */
    private static String whyNoCoordinator() {
        boolean runs = SparkContext$.MODULE$.getActive().exists(context -> !context.isStopped());
        return runs
                ? "tasks need a coordinator: start the application with spark.plugins=io.paritas.spark.ParitasPlugin"
                : "the application ends";
    }

    private static Optional<String> tooInaccurate(PredictionCode models, int lost, double bound) {
        Map<String, Double> accuracy = models.bundle().accuracy();
        Double measured = accuracy.get("degraded." + lost + "-lost");
        String which = lost == 1 ? "" : " " + lost + " predictions that are lost together";
        if (measured == null) {
            return Optional.of("the accuracy with which the parity models reconstruct" + which + " was not measured");
        }
        return measured < bound
                ? Optional.of("the parity models reconstruct" + which + " with an accuracy of " + measured)
                : Optional.empty();
    }

    /** The number of parity models in use. */
    static int r(PredictionCode models, Options options) {
        int all = models.plan().r();
        int wanted = options.get(CodedSettings.R);
        if (wanted > all) {
            throw new IllegalArgumentException("the parity models are r = " + all + ", " + CodedSettings.R.key()
                    + " is " + wanted + ": train more of them, or ask for fewer");
        }
        return wanted == 0 ? all : wanted;
    }

    /** The number of segments; 0 if none is given. */
    static int segments(PredictionCode models, Options options) {
        int n = models.plan().k() + r(models, options);
        int segments = options.get(CodedSettings.SEGMENTS);
        if (segments % n != 0) {
            throw options.refusal(CodedSettings.SEGMENTS, "a multiple of k + r = " + n);
        }
        return segments;
    }

    /** Whether the call fails rather than leave a row without a prediction. */
    boolean failsOnError() {
        return onError(options) == OnError.FAIL;
    }

    private static OnError onError(Options options) {
        return options.get(EngineSettings.ON_ERROR);
    }

    /** The type of a call's column. */
    static DataType answer(Call call) {
        StructType answer = new StructType()
                .add("prediction", DataTypes.createArrayType(DataTypes.FloatType, false), true)
                .add("outcome", DataTypes.StringType, false);
        return onError(Options.of(call)) == OnError.COLUMN ? answer.add("error", DataTypes.StringType, true) : answer;
    }

    private static int batchRows(Options options, long rowBytes) {
        int wanted = options.get(EngineSettings.BATCH_ROWS);
        long fitting = Math.min(BATCH_ROWS, options.get(EngineSettings.BATCH_BYTES) / rowBytes);
        return wanted > 0 ? wanted : (int) Math.max(1, fitting);
    }

    /**
     * The plan for the tasks.
     *
     * @param inputs places of the inputs in the rows
     * @param columns the columns that are kept, bound to the rows
     */
    PredictionPlan plan(SparkContext context, int[] inputs, Seq<Expression> columns, DataType answer, Metrics metrics) {
        int rows = batchRows(options, (long) model.input().size() * Float.BYTES);
        int fold = small.map(before -> before.model().fold()).orElse(model.fold());
        BatchLimit batch = new BatchLimit(rows, options.get(EngineSettings.BATCH_BYTES)).ofStacks(fold);
        return new PredictionPlan(
                source(model.path(), model.file(), context),
                new RowPlan(reader.at(inputs), columns, answer, model.outputs(), batch, onError(options)),
                metrics);
    }

    /** A model for the executors, with the settings of the call; the name is for messages. */
    ModelSource source(String name, ModelFile file, SparkContext context) {
        return source(name, file, model, context);
    }

    /** The small model of a cascade, for the executors. */
    CascadePrediction.Small source(SmallModel before, SparkContext context) {
        NamedModel named = before.model();
        return new CascadePrediction.Small(source(named.path(), named.file(), named, context), before.threshold());
    }

    /** A network that encodes or decodes, for the executors. Its file tells the shape of its input. */
    ModelSource network(String name, ModelFile file, SparkContext context) {
        return source(name, file, model, List.of(), context);
    }

    private ModelSource source(String name, ModelFile file, NamedModel named, SparkContext context) {
        return source(name, file, named, named.fold() == 1 ? model.input().shape() : List.of(), context);
    }

    private ModelSource source(
            String name, ModelFile file, NamedModel named, List<Integer> shape, SparkContext context) {
        EngineSpec engine = new EngineSpec(
                options.get(EngineSettings.NAME),
                options.get(EngineSettings.DEVICE),
                options.get(EngineSettings.THREADS),
                shape,
                protection(file));
        return new ModelSource(
                name,
                Models.broadcast(file, context),
                named.fold(),
                engine,
                ScreeningBounds.agreement(named.turns(), context.conf()));
    }

    private Protection protection(ModelFile file) {
        Protection wanted = protection(options);
        return file.sha256().equals(model.file().sha256()) ? wanted : wanted.measured();
    }
}
