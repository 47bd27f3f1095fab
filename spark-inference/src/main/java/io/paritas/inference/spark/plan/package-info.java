/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The SQL functions on their way through Spark's planner ({@code Registration}):
 *
 * <ol>
 *   <li>While a query is resolved, a {@code PredictCall} stands where it calls a function ({@code Kind}, {@code Call}).
 *   <li>When it is resolved, {@code ExtractCalls} replaces each call by a {@code Prediction} below its operator, so that no optimizer
 *       rule can evaluate it twice ({@code AggregateCalls}, {@code ReusedPrediction}). {@code CheckCalls} refuses what can never be
 *       replaced.
 *   <li>In the optimizer {@code ExtractLateCalls} takes those of joins ({@code JoinCalls}), and of subqueries that have become joins,
 *       {@code PruneColumns} drops what nobody reads, and {@code PushDown} and {@code PullDown} move what is to be computed before
 *       predictions below them.
 *   <li>{@code PredictionStrategy} reads the models ({@code Models}, {@code ResolvedCall}), decides on an exchange
 *       ({@code ExchangeChoice}, {@code StableRows}), and plans a {@code PredictExec} ({@code FirstRows} where only the first ones of an
 *       order are wanted), which runs coded ({@code CodedExecution}) or not.
 * </ol>
 */
package io.paritas.inference.spark.plan;
