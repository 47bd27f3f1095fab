/* SPDX-License-Identifier: Apache-2.0 */
/**
 * An erasure-coded shuffle: map outputs survive the executors that made them.
 *
 * <p>{@link io.paritas.spark.ec.shuffle.CodedShuffleManager} is Spark's sort shuffle with other ends. On the driver,
 * {@link io.paritas.spark.ec.shuffle.ShuffleCoding} sees map outputs as the tracker gets them
 * ({@link io.paritas.spark.ec.shuffle.CodedShuffleStatus}), makes groups of them
 * ({@link io.paritas.spark.ec.shuffle.ShuffleGroups}), and orders parity and repair. On executors,
 * {@link io.paritas.spark.ec.shuffle.BackgroundCoder} carries the orders out, and
 * {@link io.paritas.spark.ec.shuffle.ShuffleExecutor} decodes blocks that reducers cannot fetch in time
 * ({@link io.paritas.spark.ec.shuffle.DecodingClient}) or that are damaged ({@link io.paritas.spark.ec.shuffle.RepairedStream}). Executors read each other's files through Spark's block transfer, with ids
 * that only {@link io.paritas.spark.ec.shuffle.CodedBlockResolver} understands.
 */
package io.paritas.spark.ec.shuffle;
