/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/** Flips one bit of one value of C before it is checked, and remembers by how much that changed it. */
final class Flip implements Probe {
    private final int row;
    private final int column;
    private final int bit;
    private double change;
    private double tolerance = Double.NaN;
    private boolean inside;

    Flip(int row, int column, int bit) {
        this.row = row;
        this.column = column;
        this.bit = bit;
    }

    /** How much the value changed; not a number if it is none now. */
    double change() {
        return change;
    }

    /** Of the check that sees the value. */
    double tolerance() {
        return tolerance;
    }

    @Override
    public void computed(float[] c, int at, int stride, int fromRow, int rows, int fromColumn, int columns) {
        if (row >= fromRow && row < fromRow + rows && column >= fromColumn && column < fromColumn + columns) {
            int index = at + (row - fromRow) * stride + column - fromColumn;
            float wrong = Float.intBitsToFloat(Float.floatToRawIntBits(c[index]) ^ 1 << bit);
            change = Math.abs((double) wrong - c[index]);
            c[index] = wrong;
            inside = true;
        }
    }

    /** The first comparison after the flip is the tile's, or the block's. */
    @Override
    public void compared(int fromRow, int fromColumn, double distance, double allowed) {
        if (inside) {
            tolerance = allowed;
            inside = false;
        }
    }

    @Override
    public String toString() {
        return "bit " + bit + " at " + row + ", " + column;
    }
}
