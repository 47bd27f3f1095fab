/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded and protected inference on GPUs.
 *
 * <p>Protected: {@link io.paritas.gpu.nn.Gemm} and {@link io.paritas.gpu.nn.Convolution} compute layers of {@link
 * io.paritas.gpu.nn.Activations} and {@link io.paritas.gpu.nn.Weights}. A {@link io.paritas.gpu.nn.Scheme} is how they are
 * checked, {@code ErrorBound} is how much rounding alone can cause, and a {@link io.paritas.gpu.nn.FaultBuffer} collects faults.
 * The kernels are in the files that include {@code protected.cuh}.
 *
 * <p>Coded: {@link io.paritas.gpu.nn.ParityEncoder}, {@link io.paritas.gpu.nn.ImageConcatenation} and {@link
 * io.paritas.gpu.nn.ParityDecoder} for parity models, {@link io.paritas.gpu.nn.ImageStacks} for folded networks, {@link
 * io.paritas.gpu.nn.ValueFormats} for their inputs. The kernels are in {@code coding.cu}.
 */
package io.paritas.gpu.nn;
