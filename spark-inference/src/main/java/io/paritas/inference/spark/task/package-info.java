/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The executors' side of inference, in the order of the data:
 *
 * <ol>
 *   <li>Rows become batches ({@code Batches}, {@code RowCollector}). Those of a coded query either stay where they are
 *       ({@code LocalBatches}), or become coding groups ({@code CodingGroups}, {@code GroupFormer}, {@code ParityQueries}) that an
 *       exchange places ({@code ExchangedBatches}).
 *   <li>{@code SegmentRDD} has a partition for each segment. Its task ({@code SegmentTask}) has an {@code Assignment}: it asks the
 *       driver, and answers the segment by the model ({@code PredictedBatches}, {@code Inference}), or from the other segments of the
 *       stripe ({@code Reconstruction}), whose predictions are in the block managers ({@code PredictionStore}).
 *   <li>Then it does for others what the driver wants ({@code Helper}), and ends.
 *   <li>{@code RowWriter} puts the answers beside the columns; {@code FlattenedRows} hands them on to Spark.
 * </ol>
 *
 * <p>{@code PlainPrediction} and {@code CascadePrediction} do the first and the last step only, with one model or two.
 */
package io.paritas.inference.spark.task;
