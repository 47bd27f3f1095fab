/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Models that check what they compute (thesis, chapter 4): {@link io.paritas.inference.protect.ProtectedEngine} runs an ONNX
 * graph with checked products for its convolutions and linear layers, and everything else twice. A {@link
 * io.paritas.inference.protect.ProtectionPlan} says which scheme each layer uses; {@link io.paritas.inference.protect.Planner}
 * measures it. {@code product} multiplies and checks, and knows nothing of networks.
 */
package io.paritas.inference.protect;
