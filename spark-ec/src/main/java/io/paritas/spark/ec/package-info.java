/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure coding for Spark: Datasets and RDDs that survive executors ({@link io.paritas.spark.ec.ErasureCoded}), checkpoints
 * that survive directories ({@link io.paritas.spark.ec.ErasureCodedCheckpoint}), functions for binary columns
 * ({@link io.paritas.spark.ec.EcExtensions}), and HDFS's own codes for what is written there
 * ({@link io.paritas.spark.ec.HdfsPolicy}).
 */
package io.paritas.spark.ec;
