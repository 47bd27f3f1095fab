/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.Window.Axis;
import java.util.Arrays;

/** Pooling operators: each channel of a window of pixels becomes one value. */
final class Pooling {
    private Pooling() {}

    /** Whether an average counts padding as zeros: ONNX's {@code count_include_pad}. */
    enum Padding {
        IGNORED,
        COUNTED,
        /** With {@code ceil_mode}, so is what a window has behind the padding: ONNX Runtime, for operators before version 19. */
        COUNTED_AND_BEHIND
    }

    static Operator max(ImageShape image, ImageShape result, Window window) {
        return (rows, in, out) -> {
            Arrays.fill(out, 0, rows * result.size(), Float.NEGATIVE_INFINITY);
            slide(rows, image, result, window, (from, to) -> {
                for (int c = 0; c < image.channels(); c++) {
                    out[to + c] = Math.max(out[to + c], in[0][from + c]);
                }
            });
        };
    }

    /** The mean of a window. */
    static Operator average(ImageShape image, ImageShape result, Window window, Padding padding) {
        float[] counts = counts(image, result, window, padding);
        return (rows, in, out) -> {
            Arrays.fill(out, 0, rows * result.size(), 0);
            slide(rows, image, result, window, (from, to) -> {
                for (int c = 0; c < image.channels(); c++) {
                    out[to + c] += in[0][from + c];
                }
            });
            for (int i = 0; i < rows * result.size(); i++) {
                out[i] /= counts[i / result.channels() % result.pixels()];
            }
        };
    }

    static Operator globalAverage(ImageShape image) {
        Window whole = new Window(Axis.whole(image.height()), Axis.whole(image.width()));
        return average(image, new ImageShape(image.channels(), 1, 1), whole, Padding.IGNORED);
    }

    /** Takes the indices of a pixel of the image and of the pixel of the result whose window it is in. */
    @FunctionalInterface
    private interface Pixels {
        void accept(int from, int to);
    }

    private static void slide(int rows, ImageShape image, ImageShape result, Window window, Pixels pixels) {
        Axis down = window.down();
        Axis across = window.across();
        for (int row = 0; row < rows; row++) {
            for (int place = 0; place < result.pixels(); place++) {
                int y = place / result.width() * down.stride() - down.before();
                int x = place % result.width() * across.stride() - across.before();
                int to = (row * result.pixels() + place) * result.channels();
                for (int i = 0; i < down.size(); i++) {
                    for (int j = 0; j < across.size(); j++) {
                        int atY = y + i * down.dilation();
                        int atX = x + j * across.dilation();
                        if (atY >= 0 && atY < image.height() && atX >= 0 && atX < image.width()) {
                            pixels.accept(((row * image.height() + atY) * image.width() + atX) * image.channels(), to);
                        }
                    }
                }
            }
        }
    }

    /** Number of pixels in each window. */
    private static float[] counts(ImageShape image, ImageShape result, Window window, Padding padding) {
        float[] counts = new float[result.pixels()];
        Axis down = window.down();
        Axis across = window.across();
        if (padding == Padding.COUNTED_AND_BEHIND) {
            Arrays.fill(counts, down.size() * across.size());
            return counts;
        }
        ImageShape seen = padding == Padding.COUNTED
                ? new ImageShape(1, down.padded(image.height()), across.padded(image.width()))
                : new ImageShape(1, image.height(), image.width());
        Window over = padding == Padding.COUNTED ? new Window(down.withoutPadding(), across.withoutPadding()) : window;
        slide(1, seen, new ImageShape(1, result.height(), result.width()), over, (from, to) -> counts[to]++);
        return counts;
    }
}
