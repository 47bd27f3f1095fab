/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What recommendation models learn from. {@link io.paritas.spark.ecrm.data.Samples} says which columns a Dataset has,
 * {@link io.paritas.spark.ecrm.data.CriteoLogs} reads such Datasets from Criteo's files and
 * {@link io.paritas.spark.ecrm.data.GeneratedClicks} makes them up; {@link io.paritas.spark.ecrm.data.MiniBatches} cuts the
 * rows of a partition into batches.
 */
package io.paritas.spark.ecrm.data;
