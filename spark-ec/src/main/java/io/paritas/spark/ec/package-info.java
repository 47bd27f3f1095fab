/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure-coded Datasets: {@link io.paritas.spark.ec.ErasureCodedCheckpoint} keeps their rows as unit files in several
 * directories, {@link io.paritas.spark.ec.HdfsPolicy} has HDFS code what is written to one.
 */
package io.paritas.spark.ec;
