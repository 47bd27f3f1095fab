/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

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
    public void multiply(MatrixPart a, PanelPart b, MatrixPart c) {
        operations += operations(a, b);
        tiles.multiply(a, b, c);
    }

    @Override
    public void replicate(MatrixPart a, PanelPart b, float[] lanes) {
        replicated += operations(a, b);
        tiles.replicate(a, b, lanes);
    }

    private long operations(MatrixPart a, PanelPart b) {
        return (long) a.rows() * b.vectors() * lanes() * b.depth();
    }

    @Override
    public void checksum(MatrixPart a, float[] column, int columnAt, int depth, float[] lanes) {
        checksums += (long) a.rows() * depth;
        tiles.checksum(a, column, columnAt, depth, lanes);
    }

    @Override
    public void columns(MatrixPart a, int depth, float[] sums, int sumsAt, float[] lanes) {
        tiles.columns(a, depth, sums, sumsAt, lanes);
    }

    @Override
    public void subtract(MatrixPart c, int vectors, float[] lanes) {
        tiles.subtract(c, vectors, lanes);
    }
}
