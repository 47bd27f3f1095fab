/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Partitions of an RDD as units of stripes, kept by Spark's block managers.
 *
 * <p>On the driver, {@link io.paritas.spark.ec.store.ErasureCodedStore} owns the units of an RDD, and
 * {@link io.paritas.spark.ec.store.StoredStripes} knows which there are. Its {@link io.paritas.spark.ec.store.Encoder} stores partitions, forms stripes with
 * {@link io.paritas.spark.ec.store.UnitPlacement} and makes their parity; the stripes are published as a
 * {@link io.paritas.spark.ec.store.StripeLayout}. {@link io.paritas.spark.ec.store.Repairer} has units rebuilt when executors are
 * lost. In tasks, {@link io.paritas.spark.ec.store.PartitionReader} reads a partition: its own unit, or others of its stripe
 * ({@link io.paritas.spark.ec.store.StripeReader}), or its lineage ({@link io.paritas.spark.ec.store.HiddenLineage}). Only {@link io.paritas.spark.ec.store.UnitStore} knows block managers.
 */
package io.paritas.spark.ec.store;
