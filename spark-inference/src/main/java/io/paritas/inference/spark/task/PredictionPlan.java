/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;

/**
 * What tasks need to know to predict.
 *
 * @param deployed the model
 * @param rows that it gets
 * @param metrics that are counted
 */
public record PredictionPlan(ModelSource deployed, RowPlan rows, Metrics metrics) implements Serializable {
    private static final long serialVersionUID = 1;
}
