/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Training of a {@link io.paritas.spark.ecrm.model.DlrmShape} on {@link io.paritas.spark.ecrm.host.ParameterServers}, by tasks that
 * are the workers: {@link io.paritas.spark.ecrm.train.RecommendationTrainer}. What comes of it is a {@link
 * io.paritas.spark.ecrm.train.Training}, and on the way a {@link io.paritas.spark.ecrm.train.TrainingListener} hears of it.
 */
package io.paritas.spark.ecrm.train;
