/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/**
 * A layer as products of matrices (M × K) and (K × N). A convolution has a row for each position of its window (thesis, 4.1).
 *
 * @param m rows of A, for a batch
 * @param n columns of B
 * @param k columns of A
 * @param groups number of such products
 */
public record LayerShape(long m, long n, long k, int groups) {
    /** Number of multiplications and additions. */
    public long operations() {
        return 2 * groups * m * n * k;
    }

    /** Columns of the layer's result: those of all products, side by side. */
    public long columns() {
        return groups * n;
    }

    /** Bytes read and written if each of the three matrices moves once. */
    public long bytes(int valueBytes) {
        return (long) valueBytes * groups * (m * k + k * n + m * n);
    }

    /** For example {@code 784 x 20 x 25}. */
    @Override
    public String toString() {
        return m + " x " + n + " x " + k + (groups > 1 ? " x " + groups + " groups" : "");
    }
}
