/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Training of a {@link io.paritas.inference.recommend.model.DlrmShape} on {@link io.paritas.spark.ecrm.host.ParameterServers}.
 * {@link io.paritas.inference.recommend.train.RecommendationTrainer} is the entry point, its tasks are the workers;
 * {@link io.paritas.inference.recommend.train.Training} is the result, and a
 * {@link io.paritas.inference.recommend.train.TrainingListener} observes the progress.
 */
package io.paritas.inference.recommend.train;
