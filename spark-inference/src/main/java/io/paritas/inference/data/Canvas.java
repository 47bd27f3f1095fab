/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.Random;

/** A square picture in three colours, 50 units high and wide whatever its pixels are, that shapes are painted on. */
final class Canvas {
    static final double UNITS = 50;

    private final int side;
    /** Red, green and blue of all pixels, 0 for dark and 1 for light. */
    private final double[] values;

    /** @param side in pixels */
    Canvas(int side) {
        this.side = side;
        this.values = new double[3 * side * side];
    }

    /** A copy of a picture. */
    Canvas(Canvas other) {
        this.side = other.side;
        this.values = other.values.clone();
    }

    @FunctionalInterface
    private interface Shape {
        boolean covers(double x, double y);
    }

    void rectangle(double left, double top, double width, double height, double[] colour) {
        shade(left, top, width, height, 1, colour);
    }

    /** A rectangle through which what is below can be seen. */
    void shade(double left, double top, double width, double height, double opacity, double[] colour) {
        paint(opacity, colour, (x, y) -> x >= left && x < left + width && y >= top && y < top + height);
    }

    void ellipse(double x, double y, double halfWidth, double halfHeight, double[] colour) {
        paint(1, colour, (atX, atY) -> {
            double right = (atX - x) / halfWidth;
            double down = (atY - y) / halfHeight;
            return right * right + down * down < 1;
        });
    }

    /** What a pixel's middle is in, it is painted with. */
    private void paint(double opacity, double[] colour, Shape shape) {
        double unit = UNITS / side;
        int pixels = side * side;
        for (int p = 0; p < pixels; p++) {
            if (shape.covers((p % side + 0.5) * unit, (p / side + 0.5) * unit)) {
                for (int c = 0; c < 3; c++) {
                    values[c * pixels + p] += opacity * (colour[c] - values[c * pixels + p]);
                }
            }
        }
    }

    /** As a camera sees it. */
    void dim(double light) {
        for (int i = 0; i < values.length; i++) {
            values[i] *= light;
        }
    }

    /** Returns the channels, one after the other, with noise. */
    byte[] bytes(double noise, Random random) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            double value = values[i] + noise * random.nextGaussian();
            bytes[i] = (byte) Math.round(255 * Math.max(0, Math.min(1, value)));
        }
        return bytes;
    }
}
