/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded and protected inference on GPUs.
 *
 * <p>Protected: {@link io.paritas.gpu.nn.Product} and {@link io.paritas.gpu.nn.Convolution} compute layers of {@link
 * io.paritas.gpu.nn.Activations} and {@link io.paritas.gpu.nn.Weights}, a {@link io.paritas.gpu.nn.Scheme} says how they are
 * checked, {@code ErrorBound} how far rounding alone can go, and a {@link io.paritas.gpu.nn.Verdict} takes what is found.
 * The kernels are {@code protected.cuh} and what includes it.
 *
 * <p>Coded: {@link io.paritas.gpu.nn.ParityEncoder}, {@link io.paritas.gpu.nn.ImageConcatenation} and {@link
 * io.paritas.gpu.nn.ParityDecoder} for parity models, {@link io.paritas.gpu.nn.ImageStacks} for folded networks, {@link
 * io.paritas.gpu.nn.ValueFormats} for what they are given; the kernels are in {@code coding.cu}.
 */
package io.paritas.gpu.nn;
