/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded inference on Spark: SQL functions, and an operator that reconstructs the answers of slow and dead tasks. The
 * code of the predictions is that of parity models (ParM); {@code folded_predict} runs FoldedCNNs; {@code cascade_predict}
 * asks a large model where a small one is not sure.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapters 8 and 9.
 */
package io.paritas.inference.spark;
