/* SPDX-License-Identifier: Apache-2.0 */
/**
 * LibTorch: an engine for TorchScript and ONNX; tensors with gradients, networks that learn, optimizers. The only package that sees its binding, where a wrong
 * call can end the JVM; everything else trains through {@link io.paritas.inference.torch.Tensor},
 * {@link io.paritas.inference.torch.Network} and {@link io.paritas.inference.torch.Optimizer}, inside a
 * {@link io.paritas.inference.torch.Scope} that frees native memory.
 */
package io.paritas.inference.torch;
