/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.ModelOptions;

/**
 * The memory of tensors: the machine's, or that of one GPU.
 *
 * @param device CPU or CUDA
 * @param gpu number of the GPU; 0 on the CPU
 */
record Place(Device device, int gpu) {

    /** The CPU, or the first GPU. */
    static Place of(Device device) {
        return new Place(device, 0);
    }

    static Place of(ModelOptions options) {
        return new Place(
                options.device(),
                options.device() == Device.CUDA ? options.gpu().orFirst() : 0);
    }

    org.bytedeco.pytorch.Device libTorchs() {
        return new org.bytedeco.pytorch.Device(device == Device.CUDA ? "cuda:" + gpu : "cpu");
    }

    /** For example {@code CUDA 0}. */
    @Override
    public String toString() {
        return device == Device.CUDA ? device + " " + gpu : device.toString();
    }
}
