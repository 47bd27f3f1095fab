/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Recommendation models: {@link io.paritas.inference.recommend.model.DlrmShape} is the architecture,
 * {@link io.paritas.inference.recommend.model.Dlrm} computes gradients and predictions from parameters that come with each
 * call, {@link io.paritas.inference.recommend.model.InitialNetwork} and
 * {@link io.paritas.inference.recommend.model.InitialRows} are their initial values,
 * {@link io.paritas.inference.recommend.model.TrainedModel} keeps a model and predicts, and
 * {@link io.paritas.inference.recommend.model.Evaluation} measures predictions.
 *
 * <p>Source: M. Naumov et al., "Deep Learning Recommendation Model for Personalization and Recommendation Systems",
 * arXiv:1906.00091, 2019; J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.inference.recommend.model;
