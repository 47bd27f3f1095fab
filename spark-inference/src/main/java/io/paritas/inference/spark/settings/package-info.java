/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The settings of inference on Spark, as typed constants: {@code EngineSettings}, {@code InputSettings} and
 * {@code CodedSettings}. Those that are options of the SQL functions are found by {@code CallSettings}; those
 * of a task's resources become a {@code TaskProfile}. A task gets a {@code SentModel} and its {@code EngineSpec}, and perhaps an
 * {@code AssignedGpu}. Imports no other package of inference on Spark.
 */
package io.paritas.inference.spark.settings;
