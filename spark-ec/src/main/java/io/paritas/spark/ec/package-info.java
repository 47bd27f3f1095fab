/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure coding for Spark: Datasets and RDDs that survive the loss of executors ({@link io.paritas.spark.ec.ErasureCoded}),
 * checkpoints that survive the loss of directories ({@link io.paritas.spark.ec.ErasureCodedCheckpoint}), functions for binary
 * columns ({@link io.paritas.spark.ec.EcExtensions}), and the policies of HDFS directories
 * ({@link io.paritas.spark.ec.HdfsPolicy}).
 */
package io.paritas.spark.ec;
