/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelException;
import io.paritas.inference.Protection;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.spark.plan.ResolvedCall.NamedModel;
import io.paritas.inference.spark.settings.EngineSettings;
import java.util.Map;
import java.util.Optional;

/**
 * The small model of a cascade.
 *
 * @param model the model
 * @param threshold least probability of an answer
 * @param calibration what the calibration found; empty without one
 */
record SmallModel(NamedModel model, double threshold, Optional<Map<String, Double>> calibration) {

    /**
     * Resolves the model before a large one.
     *
     * @param path of a cascade or a folded model (a descriptor or its folder), or of another model
     * @throws IllegalArgumentException if there is no threshold, or the models do not fit
     */
    static SmallModel of(String path, Options options, DeployedModel large) {
        SmallModel small = read(path, options, large);
        boolean fits = small.model.input().shape().equals(large.input().shape())
                && small.model.outputs() == large.output().size();
        if (!fits) {
            throw new IllegalArgumentException("both models of a cascade must have the same input and as many outputs;"
                    + " the small one goes from " + small.model.input() + " to " + small.model.outputs()
                    + " values, the large one from " + large.input() + " to "
                    + large.output().size());
        }
        return small;
    }

    private static SmallModel read(String path, Options options, DeployedModel large) {
        double given = options.get(EngineSettings.CASCADE_THRESHOLD);
        if (Models.isDescriptor(path, BundleKind.CASCADE)) {
            Cascade cascade = Models.cascade(path);
            Bundle bundle = cascade.bundle().requireFor(large.file());
            NamedModel model = new NamedModel(
                    path,
                    cascade.small(),
                    cascade.fold(),
                    large.input(),
                    bundle.output().size(),
                    Optional.empty());
            return given > 0
                    ? new SmallModel(model, given, Optional.empty())
                    : new SmallModel(
                            model,
                            cascade.threshold(),
                            Optional.of(bundle.accuracy()).filter(SmallModel::isCalibration));
        }
        if (given == 0) {
            throw new ModelException("a cascade needs a threshold, and there is no " + BundleKind.CASCADE.file()
                    + " at '" + path + "'" + (Models.isUrl(path) ? ", of which no folder is fetched" : "")
                    + ": make one with bin/paritas eval --small, or give the option threshold, above 0");
        }
        NamedModel model = Models.isDescriptor(path, BundleKind.FOLDED)
                ? NamedModel.of(path, Models.folded(path))
                : NamedModel.of(
                        path, Models.deployed(path, options, Protection.of(options.get(EngineSettings.PROTECT))));
        return new SmallModel(model, given, Optional.empty());
    }

    /* The share, and the accuracy of both models together. */
    private static boolean isCalibration(Map<String, Double> accuracy) {
        return accuracy.get("share") != null && accuracy.get("cascade") != null;
    }

    /** For {@code EXPLAIN}: the threshold, and the share and the accuracy that the calibration found. */
    String text() {
        return "small=" + model.path() + ", threshold=" + threshold
                + calibration
                        .map(found ->
                                ", calibrated: share=" + found.get("share") + ", accuracy=" + found.get("cascade"))
                        .orElse(", not calibrated");
    }
}
