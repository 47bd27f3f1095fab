/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

/**
 * A layer as products of matrices (M × K) and (K × N): a convolution has a row for each place of its window (thesis, 4.1).
 *
 * @param m rows of A, for a batch
 * @param n columns of B
 * @param k columns of A
 * @param groups how many such products
 */
public record LayerShape(long m, long n, long k, int groups) {
    /** Multiplications and additions. */
    public long operations() {
        return 2 * groups * m * n * k;
    }

    /** What is read and written, with values of so many bytes: all three matrices once. */
    public long bytes(int valueBytes) {
        return (long) valueBytes * groups * (m * k + k * n + m * n);
    }

    /** For example {@code 784 x 20 x 25}. */
    @Override
    public String toString() {
        return m + " x " + n + " x " + k + (groups > 1 ? " x " + groups + " groups" : "");
    }
}
