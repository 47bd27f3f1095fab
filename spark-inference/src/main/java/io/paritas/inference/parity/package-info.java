/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Parity models (ParM). A {@link io.paritas.inference.parity.QueryEncoder} combines k queries into a parity query. A parity model
 * answers it with a combination of the k predictions, from which a {@link io.paritas.inference.parity.PredictionDecoder}
 * reconstructs missing ones. {@link io.paritas.inference.parity.ParityTraining} trains
 * {@link io.paritas.inference.parity.ParityModels} for a deployed model.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning Systems", Ph.D.
 * thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 8.
 */
package io.paritas.inference.parity;
