/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

import io.paritas.erasure.kernel.KernelChoice;

/** The tiles of this JVM: vectors wherever the erasure codes use them, by the same rule and the same property. */
final class TileChoice {
    private static Tiles current;

    private TileChoice() {}

    static synchronized Tiles current() {
        if (current == null) {
            KernelChoice choice = KernelChoice.current();
            boolean vectors = choice.provider().name().equals("vector");
            if (!vectors) {
                choice.passedOver().ifPresent(advice -> System.getLogger(TileChoice.class.getName())
                        .log(System.Logger.Level.WARNING, advice));
            }
            current = vectors ? warm(new VectorTiles()) : new PlainTiles();
        }
        return current;
    }

    /** Until they are compiled, vectors are objects: a first prediction would take as long as thousands of others. */
    private static Tiles warm(Tiles tiles) {
        int depth = 256;
        float[] a = new float[Tiles.ROWS * depth];
        float[] b = new float[2 * tiles.lanes() * depth];
        float[] c = new float[Tiles.ROWS * 2 * tiles.lanes()];
        float[] lanes = new float[tiles.lanes()];
        for (int turn = 0; turn < 300; turn++) {
            for (int vectors = 1; vectors <= 2; vectors++) {
                for (int rows = 1; rows <= Tiles.ROWS; rows += Tiles.ROWS - 1) {
                    tiles.multiply(a, 0, depth, rows, b, 0, vectors, depth, c, 0, 2 * tiles.lanes());
                }
            }
            tiles.columns(a, 0, depth, Tiles.ROWS, depth, b, 0, lanes);
            tiles.checksum(a, 0, depth, Tiles.ROWS, b, 0, depth, lanes);
        }
        return tiles;
    }
}
