/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.protect.gemm.Probe;

/** Forwards to a probe with the column numbers of the whole layer, for a group of its channels. */
record GroupProbe(Probe probe, int by) implements Probe {
    @Override
    public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
        probe.computed(c, at, stride, row, rows, column + by, columns);
    }

    @Override
    public double checksum(int row, int column, double difference) {
        return probe.checksum(row, column + by, difference);
    }

    @Override
    public void compared(int row, int column, double distance, double tolerance) {
        probe.compared(row, column + by, distance, tolerance);
    }
}
