/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The executors' side of inference. On the way of the data: rows become {@code Batch}es and coding groups
 * ({@code GroupFormer}), cross the exchange, and are answered in {@code UnitRDD}, by the model ({@code Inference}) or from the
 * other units of the stripe ({@code Reconstruction}), whose predictions lie in the block managers
 * ({@code PredictionStore}); {@code RowWriter} puts the answers beside the columns.
 */
package io.paritas.inference.spark.task;
