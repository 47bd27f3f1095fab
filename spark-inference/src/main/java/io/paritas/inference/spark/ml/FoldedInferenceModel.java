/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.ModelException;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.plan.Models;
import io.paritas.settings.Setting;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;

/**
 * A pipeline stage of predictions with a folded model, f rows in one pass: {@code folded_predict}. A saved stage refers
 * to the folded model by path and SHA-256. It does not copy it, and cannot be loaded once it has changed.
 */
public final class FoldedInferenceModel extends InferenceModel<FoldedInferenceModel> {
    private static final long serialVersionUID = 1;

    public FoldedInferenceModel() {
        this(Identifiable$.MODULE$.randomUID("foldedInference"));
    }

    public FoldedInferenceModel(String uid) {
        super(uid, "path of the folded model: a descriptor folded.json or its folder");
    }

    /**
     * The measured accuracy of the folded model, in [0, 1], by the name of the measurement.
     *
     * @throws ModelException if its files are missing, changed or damaged
     */
    public Map<String, Double> accuracy() {
        return network(call().required(model())).bundle().accuracy();
    }

    @Override
    Predict predict(String model, Column... inputs) {
        return Predict.folded(model, inputs);
    }

    @Override
    Map<Setting<?>, Optional<String>> ownSettings() {
        return Map.of();
    }

    @Override
    Map<String, String> hashes() {
        return call().value(model())
                .map(path -> Map.of("folded", network(path).model().sha256()))
                .orElse(Map.of());
    }

    private static FoldedNetwork network(String path) {
        return FoldedNetwork.read(Models.local(path));
    }

    public static MLReader<FoldedInferenceModel> read() {
        return new ReferenceReader<>(FoldedInferenceModel.class, FoldedInferenceModel::new);
    }

    /**
     * Reads a saved stage.
     *
     * @throws ModelException if the folded model has changed since the stage was saved
     */
    public static FoldedInferenceModel load(String path) {
        return read().load(path);
    }
}
