/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

import java.util.List;

/**
 * Runs tiles until they are compiled. Before that, vectors are objects and a product takes thousands of times as long; and what
 * would be measured then would say nothing.
 */
final class WarmUp {
    private static final int DEPTH = 256;
    /** A compiled part takes some microseconds, one that is interpreted some hundred. */
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
            for (int vectors = 2; vectors >= 1; vectors--) {
                int of = vectors;
                untilFast(() -> tiles.multiply(a, 0, DEPTH, rows, b, 0, of, DEPTH, c, 0, width), end);
                untilFast(() -> tiles.subtract(c, 0, width, rows, of, lanes), end);
            }
            untilFast(() -> tiles.columns(a, 0, DEPTH, rows, DEPTH, b, 0, lanes), end);
            untilFast(() -> tiles.checksum(a, 0, DEPTH, rows, b, 0, DEPTH, lanes), end);
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
