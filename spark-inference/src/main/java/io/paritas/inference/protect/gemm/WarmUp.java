/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.time.Duration;
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
    private static final int RUNS = 10;
    private static final long RACE_NANOS = 20_000_000;

    private final Tiles tiles;
    private final float[] a = new float[Tiles.ROWS * DEPTH];
    private final float[] b;
    private final float[] c;
    private final float[] lanes;

    private WarmUp(Tiles tiles) {
        this.tiles = tiles;
        int width = 2 * tiles.lanes();
        this.b = new float[width * DEPTH];
        this.c = new float[Tiles.ROWS * width];
        this.lanes = new float[tiles.lanes()];
    }

    /**
     * Runs tiles until they are fast.
     *
     * @return false if they are not after that time
     */
    static boolean run(Tiles tiles, Duration longest) {
        return new WarmUp(tiles).run(System.nanoTime() + longest.toNanos());
    }

    /** The time for a product, divided by the number of its values: the best of some, or of many that are short. */
    static double nanosPerValue(Tiles tiles) {
        WarmUp work = new WarmUp(tiles);
        long best = Long.MAX_VALUE;
        long end = System.nanoTime() + RACE_NANOS;
        for (int i = 0; i < IN_A_ROW || System.nanoTime() < end; i++) {
            long start = System.nanoTime();
            work.multiply(Tiles.ROWS, 2);
            best = Math.min(best, System.nanoTime() - start);
        }
        return (double) best / work.c.length;
    }

    private boolean run(long end) {
        boolean fast = true;
        for (int rows : List.of(Tiles.ROWS, 1)) {
            MatrixPart left = left(rows);
            for (int vectors = 2; vectors >= 1; vectors--) {
                int count = vectors;
                fast = fast && untilFast(() -> multiply(rows, count), end);
                fast = fast && untilFast(() -> tiles.subtract(product(rows), count, lanes), end);
            }
            fast = fast && untilFast(() -> tiles.columns(left, DEPTH, b, 0, lanes), end);
            fast = fast && untilFast(() -> tiles.checksum(left, b, 0, DEPTH, lanes), end);
        }
        return fast;
    }

    private void multiply(int rows, int vectors) {
        tiles.multiply(left(rows), new PanelPart(b, 0, vectors, DEPTH), product(rows));
    }

    private MatrixPart left(int rows) {
        return new MatrixPart(a, 0, DEPTH, rows);
    }

    private MatrixPart product(int rows) {
        return new MatrixPart(c, 0, 2 * tiles.lanes(), rows);
    }

    private static boolean untilFast(Runnable work, long end) {
        int fast = 0;
        while (fast < IN_A_ROW && System.nanoTime() < end) {
            long start = System.nanoTime();
            for (int i = 0; i < RUNS && System.nanoTime() < end; i++) {
                work.run();
            }
            fast = System.nanoTime() - start < RUNS * COMPILED_NANOS ? fast + 1 : 0;
        }
        return fast == IN_A_ROW;
    }
}
