/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Partitions of an RDD as units of stripes, kept by Spark's block managers.
 *
 * <p>On the driver, {@link io.paritas.spark.ec.store.Protection} has the partitions stored, plans with
 * {@link io.paritas.spark.ec.store.Placement} which of them form a stripe and who keeps its parity, has it made, and writes
 * all of it into a {@link io.paritas.spark.ec.store.Layout}. {@link io.paritas.spark.ec.store.Repairer} does what is
 * missing of that again when executors are gone. In tasks, {@link io.paritas.spark.ec.store.PartitionReader} reads a
 * partition: its own unit, or others of its stripe ({@link io.paritas.spark.ec.store.StripeReader}), or what it was made from
 * ({@link io.paritas.spark.ec.store.HiddenLineage}). Only {@link io.paritas.spark.ec.store.UnitStore} knows block managers.
 */
package io.paritas.spark.ec.store;
