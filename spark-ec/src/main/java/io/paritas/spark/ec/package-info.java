/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Erasure-coded Datasets: partitions to stripes, to units on executors, and repair.
 *
 * No code yet. Here will live the SQL functions over binary columns and the persistence level that survives the loss of
 * executors.
 */
package io.paritas.spark.ec;
