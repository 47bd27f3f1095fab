/* SPDX-License-Identifier: Apache-2.0 */
/**
 * FoldedCNNs (thesis, chapter 9): a network that takes a stack of f images at once, with √f times the channels and 1/f of
 * the batch, does about the same operations with less memory traffic. {@link io.paritas.inference.folded.Folding} changes
 * a network's graph, {@link io.paritas.inference.folded.FoldPlanner} says whether that helps on a device, and
 * {@link io.paritas.inference.folded.FoldedModel} runs the trained result as if it were the original.
 */
package io.paritas.inference.folded;
