/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.product.Probe;

/**
 * Flips one bit of one value that a layer computes, or of the check of that value, once, before they are compared; and tells what that
 * changed. For one prediction after the other.
 */
public final class BitFlip implements Disturbance {
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

    /** What is hit. */
    public enum Target {
        /** The value of C. */
        VALUE,
        /** What its checksum and the sum of its part of C differ by, as a float32. Duplication has none. */
        CHECKSUM
    }

    /** A flip in a value. */
    public BitFlip(int layer, long row, long column, int bit) {
        this(Target.VALUE, layer, row, column, bit);
    }

    /**
     * A flip.
     *
     * @param target what is hit
     * @param layer number of the layer
     * @param row of its product: a row of the batch, or a place of its image
     * @param column of its product: an output, or a channel
     * @param bit 0, the last of the significand, to 31, the sign
     */
    public BitFlip(Target target, int layer, long row, long column, int bit) {
        if (bit < 0 || bit > 31) {
            throw new IllegalArgumentException("a float32 has the bits 0 to 31, got " + bit);
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

    /** By how much the value changed; not a number if it is none, or was never computed. */
    public synchronized double change() {
        return change;
    }

    /** What the check that saw the value would have allowed; not a number if none did. */
    public synchronized double tolerance() {
        return tolerance;
    }

    /** Whether a check must find it: the change is more than twice what is allowed, or no number. */
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

        /** The first check behind the value is of the part that it is in. */
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

        /** The first comparison behind the flip is of the part that it is in. */
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
