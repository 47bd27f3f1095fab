/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded inference: predictions that survive slow and dead executors (thesis, chapters 7 to 9).
 *
 * <p>This package is what runs models: a {@link io.paritas.inference.ModelFile} is loaded by a
 * {@link io.paritas.inference.ModelEngine} into a {@link io.paritas.inference.Model}, usually through the executor's
 * {@link io.paritas.inference.ModelPool}. The packages below build on it:
 *
 * <ul>
 *   <li>{@code graph}: networks as ONNX graphs: the published ones, their costs, fresh weights
 *   <li>{@code onnx} and {@code torch}: the two engines; {@code torch} also trains
 *   <li>{@code data}: labelled images
 *   <li>{@code train}: the training loop with checkpoints, and the training of ordinary networks
 *   <li>{@code protect}: models that check what they compute (thesis, chapter 4)
 *   <li>{@code parity}: parity models (ParM); {@code learned}: learned encoders and decoders; {@code folded}: FoldedCNNs
 * </ul>
 */
package io.paritas.inference;
