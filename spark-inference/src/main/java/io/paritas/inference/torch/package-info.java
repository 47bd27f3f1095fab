/* SPDX-License-Identifier: Apache-2.0 */
/**
 * LibTorch: an engine for TorchScript and ONNX, tensors with gradients, trainable networks, optimizers. Only this package uses its
 * binding, where a wrong call can end the JVM. Other packages train with {@link io.paritas.inference.torch.Tensor},
 * {@link io.paritas.inference.torch.Network} and {@link io.paritas.inference.torch.Optimizer}, inside a
 * {@link io.paritas.inference.torch.Scope} that frees native memory.
 */
package io.paritas.inference.torch;
