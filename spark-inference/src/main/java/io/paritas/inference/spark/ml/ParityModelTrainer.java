/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.Bundle;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.ParityTraining;
import io.paritas.inference.parity.ResidualCalibration;
import io.paritas.inference.parity.Start;
import io.paritas.inference.parity.Target;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.TrainingFiles;
import io.paritas.settings.Setting;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;

/**
 * Trains parity models for a deployed model, as {@code paritas train parity} does. Of the predictions of k rows and r parity
 * queries, any r may be lost. Only the targets {@code labels} and {@code distribution} need labels.
 *
 * <pre>{@code
 * CodedInferenceModel coded = new ParityModelTrainer()
 *         .setModel("model.onnx")
 *         .setInputCols("features")
 *         .setOutput("parity")
 *         .fit(log);
 * }</pre>
 */
public final class ParityModelTrainer extends ModelTrainer<CodedInferenceModel, ParityModelTrainer> {
    private static final long serialVersionUID = 1;

    private final IntParam k;
    private final IntParam r;
    private final Param<String> encoder;
    private final Param<String> target;
    private final Param<String> start;

    public ParityModelTrainer() {
        this(Identifiable$.MODULE$.randomUID("parityTrainer"));
    }

    public ParityModelTrainer(String uid) {
        super(uid, 100);
        k = new IntParam(this, "k", "queries of a group");
        r = new IntParam(this, "r", "parity models");
        encoder = CallParams.text(this, "encoder", "how queries are combined: " + words(Encoding.class));
        target = CallParams.text(
                this,
                "target",
                "what parity models answer: " + words(Target.class) + "; distribution is for concatenation");
        start = CallParams.text(
                this,
                "start",
                "weights to begin with: " + words(Start.class) + "; model if it is not set, and fresh for labels");
        setDefault(k, 2);
        setDefault(r, 1);
        setDefault(encoder, lower(Encoding.ADDITION));
        setDefault(target, lower(Target.OUTPUTS));
    }

    public IntParam k() {
        return k;
    }

    public IntParam r() {
        return r;
    }

    public Param<String> encoder() {
        return encoder;
    }

    public Param<String> target() {
        return target;
    }

    public Param<String> start() {
        return start;
    }

    /** Queries of a group; 2 if it is not set. */
    public ParityModelTrainer setK(int queries) {
        return with(k, queries);
    }

    /** Parity models; 1 if it is not set. */
    public ParityModelTrainer setR(int models) {
        return with(r, models);
    }

    /** {@code addition}, for inputs of any kind, or {@code concatenation}, for images. */
    public ParityModelTrainer setEncoder(String name) {
        return with(encoder, name);
    }

    /** {@code outputs}, which needs no labels, {@code labels} or {@code distribution}. */
    public ParityModelTrainer setTarget(String name) {
        return with(target, name);
    }

    /**
     * {@code model}, the weights of the deployed model, or {@code fresh}, with which a training needs more epochs. If it is not set,
     * {@code model}, and {@code fresh} for the target {@code labels}.
     */
    public ParityModelTrainer setStart(String name) {
        return with(start, name);
    }

    private ParityPlan plan() {
        return new ParityPlan(
                new Combinations(number(k), number(r)), word(Encoding.class, encoder), word(Target.class, target));
    }

    private Start weights() {
        return isDefined(start) ? word(Start.class, start) : Start.usual(plan().target());
    }

    @Override
    int group() {
        weights();
        return plan().code().k();
    }

    @Override
    int usualBatch() {
        return number(k) == 2 ? 64 : 32;
    }

    @Override
    boolean needsLabels() {
        return plan().target() != Target.OUTPUTS;
    }

    @Override
    TrainingFiles files() {
        return TrainingFiles.parity(plan().code().r());
    }

    @Override
    Map<Setting<?>, Optional<String>> ownSettings() {
        return Map.of(CodedSettings.PARITY, call().value(output()));
    }

    @Override
    void check(DeployedModel deployed, TrainOptions training) {
        ParityTraining.requireTrainable(deployed, plan(), weights(), training);
    }

    @Override
    Trained train(DeployedModel deployed, TrainingData data, Work work) {
        ParityTraining.Result result = ParityTraining.train(
                deployed,
                plan(),
                weights(),
                new TrainingExamples(data.train(), data.validation(), data.description()),
                work.options(),
                Optional.of(work.folder()),
                work.progress());
        ParityModels models = result.models();
        Bundle bundle = ResidualCalibration.calibrate(
                        models.withAccuracy(models.measure(data.test(), work.engine())),
                        data.validation(),
                        work.engine())
                .bundle();
        return new Trained(bundle, result.trainings());
    }

    @Override
    CodedInferenceModel answering(String stage) {
        return new CodedInferenceModel(stage);
    }

    @Override
    CodedInferenceModel referring(CodedInferenceModel stage, Path descriptor) {
        return stage.setParity(descriptor.toString());
    }

    public static MLReader<ParityModelTrainer> read() {
        return new DefaultParamsReader<>();
    }

    public static ParityModelTrainer load(String path) {
        return read().load(path);
    }
}
