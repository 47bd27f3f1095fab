/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.PredictionDecoder;
import io.paritas.inference.parity.QueryEncoder;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.spark.driver.LatePolicy;
import io.paritas.inference.spark.driver.Layout;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The code of a prediction.
 *
 * @param plan plan of the parity models
 * @param shape shape of one row of the model's input
 * @param models the r parity models in use; the plan may have more
 * @param layout layout of the segments
 * @param late when tasks are late
 * @param bound above which residual a group is suspect
 */
public record CodingSpec(
        ParityPlan plan,
        List<Integer> shape,
        List<ModelSource> models,
        Layout layout,
        LatePolicy late,
        ResidualBound bound)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** Copies the lists into lists that can be serialized. */
    public CodingSpec {
        shape = new ArrayList<>(shape);
        models = new ArrayList<>(models);
    }

    int k() {
        return layout.k();
    }

    QueryEncoder encoder() {
        return new QueryEncoder(plan.code(), plan.encoding(), shape);
    }

    PredictionDecoder decoder() {
        return new PredictionDecoder(plan.code(), plan.target());
    }
}
