/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Parity models (ParM; thesis, chapter 8). Of k queries a {@link io.paritas.inference.parity.QueryEncoder} makes a parity
 * query; a parity model answers it with a combination of the k predictions, out of which the
 * {@link io.paritas.inference.parity.PredictionDecoder} reconstructs those that are missing.
 *
 * <p>{@link io.paritas.inference.parity.ParityTraining} makes parity models for a deployed model, and
 * {@link io.paritas.inference.parity.ParityModels} is what they are kept and used as.
 */
package io.paritas.inference.parity;
