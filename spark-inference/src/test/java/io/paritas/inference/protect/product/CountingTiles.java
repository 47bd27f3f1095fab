/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

/** Counts multiplications. */
final class CountingTiles implements Tiles {
    private final Tiles tiles;
    private long operations;
    private long checksums;
    private long replicated;

    CountingTiles(Tiles tiles) {
        this.tiles = tiles;
    }

    void reset() {
        operations = 0;
        checksums = 0;
        replicated = 0;
    }

    long operations() {
        return operations;
    }

    long checksumOperations() {
        return checksums;
    }

    long replicatedOperations() {
        return replicated;
    }

    @Override
    public int lanes() {
        return tiles.lanes();
    }

    @Override
    public void multiply(
            float[] a,
            int aAt,
            int aStride,
            int rows,
            float[] b,
            int bAt,
            int vectors,
            int depth,
            float[] c,
            int cAt,
            int cStride) {
        operations += (long) rows * vectors * lanes() * depth;
        tiles.multiply(a, aAt, aStride, rows, b, bAt, vectors, depth, c, cAt, cStride);
    }

    @Override
    public void replicate(
            float[] a, int aAt, int aStride, int rows, float[] b, int bAt, int vectors, int depth, float[] lanes) {
        replicated += (long) rows * vectors * lanes() * depth;
        tiles.replicate(a, aAt, aStride, rows, b, bAt, vectors, depth, lanes);
    }

    @Override
    public void checksum(
            float[] a, int aAt, int aStride, int rows, float[] column, int columnAt, int depth, float[] lanes) {
        checksums += (long) rows * depth;
        tiles.checksum(a, aAt, aStride, rows, column, columnAt, depth, lanes);
    }

    @Override
    public void columns(float[] a, int aAt, int aStride, int rows, int depth, float[] sums, int sumsAt, float[] lanes) {
        tiles.columns(a, aAt, aStride, rows, depth, sums, sumsAt, lanes);
    }

    @Override
    public void subtract(float[] c, int cAt, int cStride, int rows, int vectors, float[] lanes) {
        tiles.subtract(c, cAt, cStride, rows, vectors, lanes);
    }
}
