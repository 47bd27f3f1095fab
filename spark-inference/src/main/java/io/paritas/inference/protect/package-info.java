/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Models that check what they compute. {@link io.paritas.inference.protect.ProtectedEngine} runs convolutions and linear layers
 * of an ONNX graph as checked matrix products, and all other operators twice. A {@link
 * io.paritas.inference.protect.ProtectionPlan} says which scheme each layer uses; {@link io.paritas.inference.protect.Planner}
 * measures and chooses. {@code gemm} multiplies and checks, and knows nothing of networks.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning Systems", Ph.D.
 * thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 4.
 */
package io.paritas.inference.protect;
