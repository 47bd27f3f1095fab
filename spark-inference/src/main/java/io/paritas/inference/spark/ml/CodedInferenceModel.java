/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.code.Codes;
import io.paritas.inference.parity.PredictionCode;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.plan.Models;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.settings.Setting;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;

/**
 * A pipeline stage of predictions that slow and dead tasks cannot hold up: {@code coded_predict}.
 *
 * <pre>{@code
 * Dataset<Row> answers = new CodedInferenceModel()
 *         .setModel("model.onnx")
 *         .setParity("parity")
 *         .setInputCols("image")
 *         .transform(images);
 * }</pre>
 *
 * <p>The answer is a struct, described by {@link Predict}. A saved stage refers to its model files by path and SHA-256. It
 * does not copy them, and cannot be loaded once they have changed.
 */
public final class CodedInferenceModel extends InferenceModel<CodedInferenceModel> {
    private static final long serialVersionUID = 1;

    private final Param<String> parity;

    public CodedInferenceModel() {
        this(Identifiable$.MODULE$.randomUID("codedInference"));
    }

    public CodedInferenceModel(String uid) {
        super(uid, "path of the deployed model");
        parity = CallParams.text(
                this,
                "parity",
                "the parity models or the learned code: a descriptor parity.json or learned.json, or its folder; beside"
                        + " the model if not set");
    }

    public Param<String> parity() {
        return parity;
    }

    /** Path of the parity models or the learned code: a descriptor {@code parity.json} or {@code learned.json}, or its folder. */
    public CodedInferenceModel setParity(String path) {
        return with(parity, path);
    }

    /**
     * The measured accuracy of the parity models, in [0, 1], by the name of the measurement.
     *
     * @throws ModelException if there are no parity models
     */
    public Map<String, Double> accuracy() {
        return parityModels()
                .orElseThrow(() -> new ModelException("the accuracy is that of parity models, and there are none: set"
                        + " parity, or put " + Codes.FILES + " beside the model"))
                .bundle()
                .accuracy();
    }

    @Override
    Predict predict(String model, Column... inputs) {
        return Predict.coded(model, inputs);
    }

    @Override
    Map<Setting<?>, Optional<String>> ownSettings() {
        return Map.of(CodedSettings.PARITY, call().value(parity));
    }

    @Override
    Map<String, String> hashes() {
        Map<String, String> hashes = new LinkedHashMap<>();
        call().value(model())
                .ifPresent(path ->
                        hashes.put("model", ModelFile.read(Models.local(path)).sha256()));
        parityModels()
                .ifPresent(
                        models -> models.bundle().models().forEach((role, model) -> hashes.put(role, model.sha256())));
        return hashes;
    }

    private Optional<PredictionCode> parityModels() {
        return call().value(parity)
                .map(Models::local)
                .or(() -> call().value(model())
                        .flatMap(model ->
                                Codes.in(Path.of(model).toAbsolutePath().getParent())))
                .map(Codes::read);
    }

    public static MLReader<CodedInferenceModel> read() {
        return new ReferenceReader<>(CodedInferenceModel.class, CodedInferenceModel::new);
    }

    /**
     * Reads a saved stage.
     *
     * @throws ModelException if a model file has changed since the stage was saved
     */
    public static CodedInferenceModel load(String path) {
        return read().load(path);
    }
}
