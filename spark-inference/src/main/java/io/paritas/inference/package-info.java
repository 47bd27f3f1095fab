/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded inference: predictions that survive slow and dead executors.
 *
 * <p>This package runs models: a {@link io.paritas.inference.ModelEngine} loads a {@link io.paritas.inference.ModelFile} into a
 * {@link io.paritas.inference.Model}, usually through the executor's {@link io.paritas.inference.ModelPool}. The packages below
 * build on it:
 *
 * <ul>
 *   <li>{@code graph}: networks as ONNX graphs, the published networks, their costs, fresh weights
 *   <li>{@code onnx}, {@code torch} and {@code protect}: the engines; {@code torch} also trains, {@code protect} checks what it
 *       computes (thesis, chapter 4)
 *   <li>{@code data}: labelled images
 *   <li>{@code train}: the training loop with checkpoints, and the training of ordinary networks
 *   <li>{@code parity}: parity models (ParM); {@code learned}: learned encoders and decoders; {@code folded}: FoldedCNNs
 *       (thesis, chapters 7 to 9); {@code code} finds which of them lies beside a model
 *   <li>{@code screen}: finds executors whose processors compute wrong predictions
 *   <li>{@code spark}: predictions in Spark's queries; {@code serving}: predictions for clients, over HTTP and gRPC
 *   <li>{@code recommend}: recommendation models, trained on parameter servers
 * </ul>
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning Systems", Ph.D.
 * thesis, Carnegie Mellon University, CMU-CS-23-110, 2023. It is "the thesis" in all packages below.
 */
package io.paritas.inference;
