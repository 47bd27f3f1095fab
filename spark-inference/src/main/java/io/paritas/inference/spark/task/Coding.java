/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.PredictionDecoder;
import io.paritas.inference.parity.QueryEncoder;
import io.paritas.inference.spark.driver.Layout;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * How a prediction is coded.
 *
 * @param plan of the parity models
 * @param shape of one row of the model's input
 * @param models the parity models that are used: r of the layout, which may be fewer than the plan has
 * @param layout of the units
 * @param patience in medians of the finished units
 * @param deadlineNanos 0 for none
 */
public record Coding(
        ParityPlan plan,
        List<Integer> shape,
        List<ModelSource> models,
        Layout layout,
        double patience,
        long deadlineNanos)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** Keeps lists that can be serialized. */
    public Coding {
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
