/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

/**
 * Sees how products are computed and checked, and may change it: for studies of faults, and tests. Called by all threads of
 * a product.
 */
public interface Probe {
    /** Looks at nothing. */
    Probe NONE = new Probe() {};

    /**
     * A part of C was computed, and nothing was compared yet.
     *
     * @param c holds it, from the index on, rows a stride apart
     * @param row its first row in C
     * @param rows how many
     * @param column its first column in C
     * @param columns how many
     */
    default void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {}

    /** A checksum less the sum of the part of C that begins there; returns what to take for it. */
    default double checksum(int row, int column, double difference) {
        return difference;
    }

    /** A sum and a checksum were compared: how far they lie apart, and how far they may. */
    default void compared(int row, int column, double distance, double tolerance) {}
}
