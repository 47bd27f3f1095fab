/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.ModelException;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.SparkSetting;
import io.paritas.inference.spark.plan.Models;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;

/**
 * Predictions of a folded model, f rows in one pass, as a stage of a pipeline: {@code folded_predict}. Saved, the stage
 * refers to the folded model by path and SHA-256: it is not copied, and loading refuses another.
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
     * How good the folded model was measured to be, in [0, 1], by what was measured.
     *
     * @throws ModelException if its files are missing, changed or damaged
     */
    public Map<String, Double> accuracy() {
        return network(call().required(model())).bundle().descriptor().accuracy();
    }

    @Override
    Predict predict(String model, Column... inputs) {
        return Predict.folded(model, inputs);
    }

    @Override
    Map<SparkSetting, Optional<String>> ownSettings() {
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
     * @throws ModelException if the folded model is not the one that was there when the stage was saved
     */
    public static FoldedInferenceModel load(String path) {
        return read().load(path);
    }
}
