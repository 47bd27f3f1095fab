/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Closings;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.DeviceMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Makes parity queries of images: 2 made half as wide and put beside each other, 3 made half as high and two of them put above the
 * third, or 4 made half as large and put into the quadrants (thesis, 8.4.4, which has no 3). Resizes by Pillow's bilinear filter, with
 * the same arithmetic as on the CPU, so with the same bits. Images are float32, the channels outermost. Thread-safe, until closed.
 */
public final class ImageConcatenation implements AutoCloseable {
    private static final int MOST = 4;
    private static final int WINDOW_BYTES = 40;
    private static final int WINDOW_WEIGHTS = 4;

    private final int k;
    private final int[] image;
    private final Closings memories = new Closings();
    private final DeviceMemory across;
    private final DeviceMemory down;

    /**
     * Concatenation of images of a shape; the thread is bound to the GPU.
     *
     * @param k 2, 3 or 4
     * @throws IllegalArgumentException if sides cannot be halved
     */
    public ImageConcatenation(int k, int channels, int height, int width) {
        if (k < 2 || k > MOST) {
            throw new IllegalArgumentException("concatenation needs groups of 2 to 4 images, got " + k);
        }
        if (channels < 1 || height < 1 || width < 1 || width % 2 != 0 || (k > 2 && height % 2 != 0)) {
            throw new IllegalArgumentException(
                    "concatenation needs images with even sides, got " + channels + " x " + height + " x " + width);
        }
        this.k = k;
        int tileHeight = k > 2 ? height / 2 : height;
        image = new int[] {channels, height, width, tileHeight, k};
        try {
            across = memories.add(DeviceValues.upload(across(k, width)));
            down = memories.add(DeviceValues.upload(windows(height, tileHeight)));
        } catch (RuntimeException | Error e) {
            memories.close();
            throw e;
        }
    }

    /** The windows of all columns of each row of tiles: of two images, or of the last one alone. */
    private static ByteBuffer across(int k, int width) {
        int bands = (k + 1) / 2;
        ByteBuffer all = DeviceValues.buffer(Math.multiplyExact(bands * width, WINDOW_BYTES));
        for (int place = 0; place < k; place++) {
            boolean alone = place % 2 == 0 && place == k - 1;
            all.put(windows(width, alone ? width : width / 2));
        }
        return all.flip();
    }

    /** For each new value the old ones that make it, and their weights: the struct {@code Window} of coding.cu. */
    private static ByteBuffer windows(int from, int to) {
        ByteBuffer bytes = DeviceValues.buffer(Math.multiplyExact(to, WINDOW_BYTES));
        double scale = (double) from / to;
        for (int i = 0; i < to; i++) {
            double centre = (i + 0.5) * scale;
            int first = (int) Math.max(centre - scale + 0.5, 0);
            int end = (int) Math.min(centre + scale + 0.5, from);
            double[] weights = new double[WINDOW_WEIGHTS];
            double sum = 0;
            for (int j = first; j < end; j++) {
                weights[j - first] = Math.max(0, 1 - Math.abs(j + 0.5 - centre) / scale);
                sum += weights[j - first];
            }
            bytes.putInt(first).putInt(end - first);
            for (double weight : weights) {
                bytes.putDouble(weight / sum);
            }
        }
        return bytes.flip();
    }

    /**
     * Enqueues the encoding of parity queries on a stream, and returns at once.
     *
     * @param queries addresses of the k members' images, one image for each group, one after the other
     * @param parity address of the parity queries; must not overlap a query
     * @param groups images of each member
     */
    public void encode(long[] queries, long parity, int groups, CudaStream stream) {
        if (queries.length != k) {
            throw new IllegalArgumentException("a group must have " + k + " images, got " + queries.length);
        }
        CodingKernels.checkCount(groups);
        long count = Math.multiplyExact((long) groups * image[0], (long) image[1] * image[2]);
        long[] group = Arrays.copyOf(queries, 8);
        group[4] = parity;
        group[5] = across.address();
        group[6] = down.address();
        group[7] = count;
        CodingKernels.launch("parity_images", count, stream, group, image);
    }

    /** Frees the memory; nothing may use it any more. */
    @Override
    public void close() {
        memories.close();
    }
}
