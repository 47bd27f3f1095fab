/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.List;

/**
 * The shape of a row: an image, or a vector as an image of one pixel. In memory, the channels of a pixel are together.
 *
 * @param channels channels of a pixel
 * @param height lines of the image
 * @param width pixels of a line
 */
public record ImageShape(int channels, int height, int width) {
    static ImageShape of(List<Integer> shape) {
        return shape.size() == 3
                ? new ImageShape(shape.get(0), shape.get(1), shape.get(2))
                : new ImageShape(shape.stream().reduce(1, Math::multiplyExact), 1, 1);
    }

    int size() {
        return channels * pixels();
    }

    int pixels() {
        return height * width;
    }

    /** Whether channels first and channels last are the same order. */
    boolean isFlat() {
        return channels == 1 || pixels() == 1;
    }

    /** Copies rows from ONNX's order, channels first, to channels last. */
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

    /** Copies rows from channels last to ONNX's order, channels first. */
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
