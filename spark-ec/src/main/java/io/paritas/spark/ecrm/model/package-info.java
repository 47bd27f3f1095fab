/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Recommendation models after DLRM (M. Naumov et al., "Deep Learning Recommendation Model for Personalization and
 * Recommendation Systems", 2019): {@link io.paritas.spark.ecrm.model.DlrmShape} says how one is built,
 * {@link io.paritas.spark.ecrm.model.Dlrm} computes gradients and predictions from parameters that others keep,
 * {@link io.paritas.spark.ecrm.model.InitialNetwork} and {@link io.paritas.spark.ecrm.model.InitialRows} are what those start
 * with, and {@link io.paritas.spark.ecrm.model.Evaluation} judges what came of them, and
 * {@link io.paritas.spark.ecrm.model.TrainedModel} keeps it and predicts. Only two classes know LibTorch.
 */
package io.paritas.spark.ecrm.model;
