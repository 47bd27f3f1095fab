/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The executors' side of inference. Rows become {@code Batch}es and coding groups ({@code GroupFormer}) and cross the
 * exchange. {@code SegmentRDD} answers them, by the model ({@code Inference}) or from the other segments of the stripe
 * ({@code Reconstruction}), whose predictions are in the block managers ({@code PredictionStore}). {@code RowWriter}
 * puts the answers beside the columns.
 */
package io.paritas.inference.spark.task;
