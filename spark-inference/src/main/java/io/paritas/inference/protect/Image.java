/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.List;

/**
 * The shape of a row: an image, or a vector as an image of one pixel. In memory, channels are next to one another.
 *
 * @param channels of a pixel
 * @param height lines
 * @param width pixels of a line
 */
public record Image(int channels, int height, int width) {
    static Image of(List<Integer> shape) {
        return shape.size() == 3 ? new Image(shape.get(0), shape.get(1), shape.get(2)) : new Image(shape.get(0), 1, 1);
    }

    int size() {
        return channels * pixels();
    }

    int pixels() {
        return height * width;
    }

    /** Whether the order of channels and pixels is the same either way. */
    boolean isFlat() {
        return channels == 1 || pixels() == 1;
    }

    /** From ONNX's order, channels first, to the one in memory. */
    void toMemory(int rows, float[] channelsFirst, float[] memory) {
        for (int row = 0; row < rows; row++) {
            int from = row * size();
            for (int c = 0; c < channels; c++) {
                for (int i = 0; i < pixels(); i++) {
                    memory[from + i * channels + c] = channelsFirst[from + c * pixels() + i];
                }
            }
        }
    }

    /** From the order in memory to ONNX's. */
    void toChannelsFirst(int rows, float[] memory, float[] channelsFirst) {
        for (int row = 0; row < rows; row++) {
            int from = row * size();
            for (int c = 0; c < channels; c++) {
                for (int i = 0; i < pixels(); i++) {
                    channelsFirst[from + c * pixels() + i] = memory[from + i * channels + c];
                }
            }
        }
    }
}
