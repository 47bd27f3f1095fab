/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;

/**
 * A prediction, as tasks run it.
 *
 * @param deployed the model
 * @param rows how to read and write the rows
 * @param metrics the metrics to add to
 */
public record PredictionPlan(ModelSource deployed, RowPlan rows, Metrics metrics) implements Serializable {
    private static final long serialVersionUID = 1;
}
