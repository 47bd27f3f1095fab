/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.List;

/**
 * Runs tiles until they are compiled. Before that, vectors are objects, a product takes thousands of times as long, and
 * measurements mean nothing.
 */
final class WarmUp {
    private static final int DEPTH = 256;
    /** A tile takes a few microseconds compiled, a few hundred interpreted. */
    private static final long COMPILED_NANOS = 60_000;

    private static final int IN_A_ROW = 3;
    private static final long MOST_NANOS = 10_000_000_000L;

    private WarmUp() {}

    static void run(Tiles tiles) {
        int width = 2 * tiles.lanes();
        float[] a = new float[Tiles.ROWS * DEPTH];
        float[] b = new float[width * DEPTH];
        float[] c = new float[Tiles.ROWS * width];
        float[] lanes = new float[tiles.lanes()];
        long end = System.nanoTime() + MOST_NANOS;
        for (int rows : List.of(Tiles.ROWS, 1)) {
            MatrixPart left = new MatrixPart(a, 0, DEPTH, rows);
            MatrixPart product = new MatrixPart(c, 0, width, rows);
            for (int vectors = 2; vectors >= 1; vectors--) {
                PanelPart right = new PanelPart(b, 0, vectors, DEPTH);
                untilFast(() -> tiles.multiply(left, right, product), end);
                untilFast(() -> tiles.subtract(product, right.vectors(), lanes), end);
            }
            untilFast(() -> tiles.columns(left, DEPTH, b, 0, lanes), end);
            untilFast(() -> tiles.checksum(left, b, 0, DEPTH, lanes), end);
        }
    }

    private static void untilFast(Runnable work, long end) {
        int fast = 0;
        while (fast < IN_A_ROW && System.nanoTime() < end) {
            long start = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                work.run();
            }
            fast = System.nanoTime() - start < 10 * COMPILED_NANOS ? fast + 1 : 0;
        }
    }
}
