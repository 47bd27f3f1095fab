/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The SQL functions on their way through Spark's planner. A {@code PredictCall} stands where the query calls a
 * function. Once the query is resolved, {@code ExtractCalls} replaces it by a {@code Prediction}, so that no optimizer
 * rule can evaluate it twice. {@code PredictionStrategy} plans a {@code PredictExec}, which runs it coded
 * ({@code CodedExecution}) or not.
 */
package io.paritas.inference.spark.plan;
