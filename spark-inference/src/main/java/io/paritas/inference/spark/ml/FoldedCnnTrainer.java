/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.Bundle;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.data.TrainingExamples;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.FoldOptions.Rounding;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.folded.FoldedTraining;
import io.paritas.inference.folded.FoldedTraining.Recipe;
import io.paritas.inference.folded.FoldedTraining.Teacher;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.train.Curriculum;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.TrainingFiles;
import io.paritas.settings.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;

/**
 * Folds an image classifier and trains the result, as {@code paritas train folded} does. A folded network takes f
 * images at once and computes more for each byte that it moves. Training needs labels, even to learn the classifier's
 * answers.
 */
public final class FoldedCnnTrainer extends ModelTrainer<FoldedInferenceModel, FoldedCnnTrainer> {
    private static final long serialVersionUID = 1;

    private final IntParam fold;
    private final DoubleParam multiplier;
    private final Param<String> rounding;
    private final BooleanParam distil;
    private final IntParam curriculum;
    private final Param<String> init;

    public FoldedCnnTrainer() {
        this(Identifiable$.MODULE$.randomUID("foldedTrainer"));
    }

    public FoldedCnnTrainer(String uid) {
        super(uid, 50);
        fold = new IntParam(this, "fold", "images in a stack, f");
        multiplier = new DoubleParam(
                this, "multiplier", "growth of the channels inside the network; the square root of f if not set");
        rounding = CallParams.text(
                this, "rounding", "of channels: " + words(Rounding.class) + "; tiles makes multiples of 8");
        distil = new BooleanParam(this, "distil", "whether to learn the classifier's answers instead of the labels");
        curriculum = new IntParam(
                this,
                "curriculum",
                "epochs after which another tenth of the classes is added, from a tenth on; all from the start if not"
                        + " set");
        init = CallParams.text(this, "init", "how fresh weights are drawn: " + words(Initialisation.class));
        setDefault(fold, 2);
        setDefault(rounding, lower(Rounding.FLOOR));
        setDefault(distil, false);
        setDefault(init, lower(Initialisation.XAVIER));
    }

    public IntParam fold() {
        return fold;
    }

    public DoubleParam multiplier() {
        return multiplier;
    }

    public Param<String> rounding() {
        return rounding;
    }

    public BooleanParam distil() {
        return distil;
    }

    public IntParam curriculum() {
        return curriculum;
    }

    public Param<String> init() {
        return init;
    }

    /** Images in a stack; 2 if it is not set. */
    public FoldedCnnTrainer setFold(int images) {
        return with(fold, images);
    }

    /** Growth of the channels inside the network; the square root of f if it is not set. */
    public FoldedCnnTrainer setMultiplier(double channels) {
        return with(multiplier, channels);
    }

    /** {@code floor} or {@code tiles}. */
    public FoldedCnnTrainer setRounding(String name) {
        return with(rounding, name);
    }

    public FoldedCnnTrainer setDistil(boolean answers) {
        return with(distil, answers);
    }

    public FoldedCnnTrainer setCurriculum(int count) {
        return with(curriculum, count);
    }

    /** {@code pytorch}, {@code xavier} or {@code he}. */
    public FoldedCnnTrainer setInit(String name) {
        return with(init, name);
    }

    private FoldOptions folding() {
        int images = number(fold);
        double channels = call().value(multiplier).map(value -> (double) value).orElse(Math.sqrt(images));
        return new FoldOptions(images, channels, word(Rounding.class, rounding));
    }

    private Curriculum classesOf(DeployedModel original) {
        return call().value(curriculum)
                .map(count -> Curriculum.tenths(original.output().size(), number(fold), (int) count))
                .orElse(Curriculum.NONE);
    }

    @Override
    int group() {
        word(Initialisation.class, init);
        return folding().fold();
    }

    /** As published: 32 images in a batch, rounded down to a multiple of f. */
    @Override
    int usualBatch() {
        return Math.max(1, 32 / Math.max(1, number(fold)));
    }

    @Override
    boolean needsLabels() {
        return true;
    }

    @Override
    TrainingFiles files() {
        return TrainingFiles.FOLDED;
    }

    @Override
    Map<Setting<?>, Optional<String>> ownSettings() {
        return Map.of();
    }

    @Override
    void check(DeployedModel deployed, TrainOptions training) {
        FoldedTraining.requireTrainable(deployed, recipe(deployed), training);
    }

    private Recipe recipe(DeployedModel deployed) {
        return new Recipe(
                folding(),
                (boolean) getOrDefault(distil) ? Teacher.ORIGINAL : Teacher.LABELS,
                classesOf(deployed),
                word(Initialisation.class, init));
    }

    @Override
    Trained train(DeployedModel deployed, TrainingData data, Work work) {
        FoldedTraining.Result result = FoldedTraining.train(
                deployed,
                recipe(deployed),
                new TrainingExamples(data.train(), data.validation(), data.description()),
                work.options(),
                Optional.of(work.folder().resolve(files().checkpoint())),
                work.progress());
        FoldedNetwork network = result.network();
        Bundle bundle = network.withAccuracy(network.measure(data.test(), work.engine()))
                .calibrated(data.validation(), work.engine())
                .bundle();
        return new Trained(bundle, List.of(result.training()));
    }

    @Override
    FoldedInferenceModel answering(String stage) {
        return new FoldedInferenceModel(stage);
    }

    @Override
    FoldedInferenceModel referring(FoldedInferenceModel stage, Path descriptor) {
        return stage.setModel(descriptor.toString());
    }

    public static MLReader<FoldedCnnTrainer> read() {
        return new DefaultParamsReader<>();
    }

    public static FoldedCnnTrainer load(String path) {
        return read().load(path);
    }
}
