/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.gemm.Activations;

/**
 * The images of a batch as the matrix A of a convolution: a row for each position of the window, a column for each channel of each
 * of its pixels. Made in parts on demand (implicit GEMM).
 */
final class Patches implements Activations {
    /** Up to this length, a loop copies faster than System.arraycopy. */
    private static final int SHORT = 24;

    private final float[] images;
    private final int batch;
    private final ImageShape in;
    private final ImageShape out;
    private final Window.Axis down;
    private final Window.Axis across;
    private final int firstChannel;
    private final int channels;
    /** Pixels of a line of the window that are contiguous in the image. */
    private final int run;

    Patches(float[] images, int batch, ImageShape in, ImageShape out, Window window, int firstChannel, int channels) {
        this.images = images;
        this.batch = batch;
        this.in = in;
        this.out = out;
        this.down = window.down();
        this.across = window.across();
        this.firstChannel = firstChannel;
        this.channels = channels;
        this.run = across.dilation() == 1 && channels == in.channels() ? across.size() : 1;
    }

    @Override
    public int rows() {
        return batch * out.pixels();
    }

    @Override
    public void show(int row, int rows, int k, int depth, Part part) {
        float[] filled = part.fill(depth);
        Window.Axis down = this.down; // locals, which the loops need not read again
        Window.Axis across = this.across;
        int width = across.size();
        int length = run * channels;
        for (int i = 0; i < rows; i++) {
            int image = (row + i) / out.pixels();
            int place = (row + i) % out.pixels();
            int y = place / out.width() * down.stride() - down.before();
            int x = place % out.width() * across.stride() - across.before();
            for (int r = k / length; r * length < k + depth; r++) {
                int from = Math.max(k, r * length);
                int to = Math.min(k + depth, (r + 1) * length);
                int pixel = r * run;
                int atY = y + pixel / width * down.dilation();
                int atX = x + pixel % width * across.dilation();
                copy(image, atY, atX, from - r * length, to - r * length, filled, i * depth + from - k);
            }
        }
    }

    /** Copies values {@code from} to {@code to} of a run of pixels from (y, x) on; zeros outside the image. */
    private void copy(int image, int y, int x, int from, int to, float[] filled, int at) {
        int length = to - from;
        int left = Math.min(length, Math.max(0, -x * channels - from));
        int right = Math.max(left, Math.min(length, (in.width() - x) * channels - from));
        if (y < 0 || y >= in.height()) {
            left = 0;
            right = 0;
        }
        for (int i = 0; i < left; i++) {
            filled[at + i] = 0;
        }
        int source = ((image * in.height() + y) * in.width() + x) * in.channels() + firstChannel + from;
        if (right - left < SHORT) {
            for (int i = left; i < right; i++) {
                filled[at + i] = images[source + i];
            }
        } else {
            System.arraycopy(images, source + left, filled, at + left, right - left);
        }
        for (int i = right; i < length; i++) {
            filled[at + i] = 0;
        }
    }
}
