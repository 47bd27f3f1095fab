/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.gemm.Probe;

/**
 * Flips one bit, once, before a check: of a value that a layer computes, or of the checksum's difference. Records the change. Not
 * for concurrent predictions.
 */
public final class BitFlip implements LayerProbes {
    private final int layer;
    private final long row;
    private final long column;
    private final int bit;
    private final Target target;
    private boolean reached;
    private boolean done;
    private boolean seen;
    private double change = Double.NaN;
    private double tolerance = Double.NaN;

    /** What the flip hits. */
    public enum Target {
        /** A value of C. */
        VALUE,
        /** The difference between the checksum and the sum of the value's part of C, as a float32. Duplication has none. */
        CHECKSUM
    }

    /** A flip in a value of C. */
    public BitFlip(int layer, long row, long column, int bit) {
        this(Target.VALUE, layer, row, column, bit);
    }

    /**
     * A flip.
     *
     * @param target what the flip hits
     * @param layer number of the layer
     * @param row row of C: a row of the batch, or a pixel of an image
     * @param column column of C, below {@link LayerShape#columns}: an output, or a channel
     * @param bit 0 (last of the significand) to 31 (sign)
     */
    public BitFlip(Target target, int layer, long row, long column, int bit) {
        if (bit < 0 || bit > 31) {
            throw new IllegalArgumentException("a bit of a float32 must be 0 to 31, got " + bit);
        }
        this.target = target;
        this.layer = layer;
        this.row = row;
        this.column = column;
        this.bit = bit;
    }

    @Override
    public synchronized Probe of(int asked) {
        return asked == layer && !done ? new Flip() : Probe.NONE;
    }

    /** The absolute change of the value; NaN if the value became NaN or was never computed. */
    public synchronized double change() {
        return change;
    }

    /** The tolerance of the check of the value; NaN if there was no check. */
    public synchronized double tolerance() {
        return tolerance;
    }

    /** Whether a check must find the flip: the change is more than twice the tolerance, or NaN. */
    public synchronized boolean isAboveBound() {
        return done && (Double.isNaN(change) || change > 2 * tolerance);
    }

    private final class Flip implements Probe {
        @Override
        public void computed(float[] c, int at, int stride, int fromRow, int rows, int fromColumn, int columns) {
            synchronized (BitFlip.this) {
                boolean inside =
                        row >= fromRow && row < fromRow + rows && column >= fromColumn && column < fromColumn + columns;
                if (done || !inside) {
                    return;
                }
                reached = true;
                if (target == Target.VALUE) {
                    int index = at + (int) (row - fromRow) * stride + (int) (column - fromColumn);
                    c[index] = flip(c[index]);
                }
            }
        }

        /** The first check after the value is that of its part. */
        @Override
        public double checksum(int fromRow, int fromColumn, double difference) {
            synchronized (BitFlip.this) {
                return target == Target.CHECKSUM && reached && !done ? flip((float) difference) : difference;
            }
        }

        private float flip(float value) {
            float wrong = Float.intBitsToFloat(Float.floatToRawIntBits(value) ^ 1 << bit);
            change = Math.abs((double) wrong - value);
            done = true;
            return wrong;
        }

        /** The first comparison after the flip is that of its part. */
        @Override
        public void compared(int fromRow, int fromColumn, double distance, double allowed) {
            synchronized (BitFlip.this) {
                if (done && !seen) {
                    tolerance = allowed;
                    seen = true;
                }
            }
        }
    }
}
