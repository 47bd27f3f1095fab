/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

/**
 * Observes, and may change, what a matrix product computes and checks: for studies of faults, and tests. All threads of the
 * product call it.
 */
public interface Probe {
    /** Does nothing. */
    Probe NONE = new Probe() {};

    /**
     * A part of C has been computed, and not yet compared.
     *
     * @param c array of the part, from {@code at} on, rows a {@code stride} apart
     * @param row its first row in C
     * @param rows number of rows
     * @param column its first column in C
     * @param columns number of columns
     */
    default void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {}

    /**
     * Replaces the difference of a check.
     *
     * @param row first row of the checked part of C
     * @param column its first column
     * @param difference the checksum less the sum of the part
     * @return the difference to use
     */
    default double checksum(int row, int column, double difference) {
        return difference;
    }

    /**
     * A sum and a checksum have been compared.
     *
     * @param distance how far they are apart
     * @param tolerance how far they may be apart
     */
    default void compared(int row, int column, double distance, double tolerance) {}
}
