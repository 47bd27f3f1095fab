/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.Arrays;

/** Operators that make one pixel of a window of pixels, each channel for itself. */
final class Pools {
    private Pools() {}

    static Operator max(Image image, Image result, Window window) {
        return (rows, in, out) -> {
            Arrays.fill(out, 0, rows * result.size(), Float.NEGATIVE_INFINITY);
            slide(rows, image, result, window, (from, to) -> {
                for (int c = 0; c < image.channels(); c++) {
                    out[to + c] = Math.max(out[to + c], in[0][from + c]);
                }
            });
        };
    }

    /** Mean of the pixels, or with those that padding adds. */
    static Operator average(Image image, Image result, Window window, boolean withPadding) {
        float[] counts = counts(image, result, window, withPadding);
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

    static Operator globalAverage(Image image) {
        Window whole = new Window(image.height(), image.width(), 1, 1, 1, 1, 0, 0, 0, 0);
        return average(image, new Image(image.channels(), 1, 1), whole, false);
    }

    /** A pixel of the image, and the pixel of the result that it belongs to. */
    @FunctionalInterface
    private interface Pixels {
        void accept(int from, int to);
    }

    private static void slide(int rows, Image image, Image result, Window window, Pixels pixels) {
        for (int row = 0; row < rows; row++) {
            for (int place = 0; place < result.pixels(); place++) {
                int y = place / result.width() * window.strideY() - window.top();
                int x = place % result.width() * window.strideX() - window.left();
                int to = (row * result.pixels() + place) * result.channels();
                for (int i = 0; i < window.height(); i++) {
                    for (int j = 0; j < window.width(); j++) {
                        int atY = y + i * window.dilationY();
                        int atX = x + j * window.dilationX();
                        if (atY >= 0 && atY < image.height() && atX >= 0 && atX < image.width()) {
                            pixels.accept(((row * image.height() + atY) * image.width() + atX) * image.channels(), to);
                        }
                    }
                }
            }
        }
    }

    /** How many pixels each place has. */
    private static float[] counts(Image image, Image result, Window window, boolean withPadding) {
        float[] counts = new float[result.pixels()];
        Image seen = withPadding
                ? new Image(
                        1,
                        image.height() + window.top() + window.bottom(),
                        image.width() + window.left() + window.right())
                : new Image(1, image.height(), image.width());
        Window over = withPadding
                ? new Window(
                        window.height(),
                        window.width(),
                        window.strideY(),
                        window.strideX(),
                        window.dilationY(),
                        window.dilationX(),
                        0,
                        0,
                        0,
                        0)
                : window;
        slide(1, seen, new Image(1, result.height(), result.width()), over, (from, to) -> counts[to]++);
        return counts;
    }
}
