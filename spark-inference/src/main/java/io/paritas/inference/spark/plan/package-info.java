/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The functions, on their way through Spark's planner. A {@code PredictCall} stands where the query calls a function; once the
 * query is resolved, {@code ExtractCalls} makes a {@code Prediction} below of it, so that no rule of the optimizer can evaluate
 * it twice; {@code PredictionStrategy} plans a {@code PredictExec} or a {@code CodedPredictExec}.
 */
package io.paritas.inference.spark.plan;
