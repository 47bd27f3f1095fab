/* SPDX-License-Identifier: Apache-2.0 */
/**
 * ONNX networks on GPUs. {@code Planner} turns a graph into a {@code NetworkPlan}: {@code Step}s, each of which is a launch, and the
 * buffers that they read and write; {@code Fusion} decides which operators share a launch, {@code Arena} where the buffers lie. None
 * of these knows a GPU. {@code GpuEngine} finds the network's {@code GpuModel}: weights on the GPU in a {@code DeviceNetwork}, and {@code
 * Lane}s in which batches run.
 *
 * <p>The only package of this module that needs {@code io.paritas.inference}.
 */
package io.paritas.gpu.network;
