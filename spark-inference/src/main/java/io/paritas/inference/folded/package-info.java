/* SPDX-License-Identifier: Apache-2.0 */
/**
 * FoldedCNNs: a network that takes a stack of f images at once, with √f times the channels and 1/f of the batch, does about the
 * same number of operations with less memory traffic. {@link io.paritas.inference.folded.Folding} folds a network's graph,
 * {@link io.paritas.inference.folded.FoldPlanner} says whether that helps on a device, and
 * {@link io.paritas.inference.folded.FoldedModel} runs the trained network as if it were the original.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning Systems", Ph.D.
 * thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 9.
 */
package io.paritas.inference.folded;
