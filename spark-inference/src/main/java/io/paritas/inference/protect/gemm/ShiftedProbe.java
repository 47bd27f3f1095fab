/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/** Forwards to a probe with the row numbers of the whole C, for a thread's share of the rows. */
record ShiftedProbe(Probe probe, int by) implements Probe {
    @Override
    public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
        probe.computed(c, at, stride, row + by, rows, column, columns);
    }

    @Override
    public double checksum(int row, int column, double difference) {
        return probe.checksum(row + by, column, difference);
    }

    @Override
    public void compared(int row, int column, double distance, double tolerance) {
        probe.compared(row + by, column, distance, tolerance);
    }
}
