/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The settings of inference on Spark, as typed constants: {@code EngineSettings}, {@code InputSettings} and
 * {@code CodedSettings}. Those that are options of the SQL functions are found by {@code CallSettings}; those
 * of a task's resources become a {@code TaskProfile}, and {@code AssignedGpu} and {@code SentModel} are what a task gets. Imports no other package of
 * inference on Spark.
 */
package io.paritas.inference.spark.settings;
