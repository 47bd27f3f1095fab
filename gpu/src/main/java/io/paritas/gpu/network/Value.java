/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import java.util.List;

/**
 * Rows of a tensor on the GPU, in a buffer of the plan. Several values may share a buffer: a reshape copies nothing.
 *
 * @param buffer number of the buffer
 * @param shape of a row
 * @param channels how many channels are innermost in memory, at every pixel; 1 is the order of ONNX, channels outermost
 */
record Value(int buffer, List<Integer> shape, int channels) {
    /** Where either all or one of the values of a row are channels, both orders are the same. */
    Value {
        shape = List.copyOf(shape);
        channels = channels == size(shape) ? 1 : channels;
    }

    /** Values in a row. */
    int size() {
        return size(shape);
    }

    static int size(List<Integer> shape) {
        return shape.stream().reduce(1, Math::multiplyExact);
    }

    /** The same rows in another shape. */
    Value reshaped(List<Integer> other) {
        return new Value(buffer, other, channels);
    }

    /** Whether the order in memory is that of ONNX. */
    boolean isPlain() {
        return channels == 1;
    }

    /** Whether these are images with the channels innermost. */
    boolean isImages() {
        return shape.size() == 3 && new Value(buffer, shape, shape.get(0)).channels == channels;
    }

    /** Distance of neighbours in each of the three dimensions of images with the channels innermost, or of any other plain shape. */
    int[] strides() {
        if (isImages() && !isPlain()) {
            return new int[] {1, shape.get(2) * shape.get(0), shape.get(0)};
        }
        int[] strides = new int[shape.size()];
        int next = 1;
        for (int i = strides.length - 1; i >= 0; i--) {
            strides[i] = next;
            next *= shape.get(i);
        }
        return strides;
    }
}
