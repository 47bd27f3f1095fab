/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.gpu.CudaModule;
import io.paritas.gpu.CudaStream;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.LaunchShape;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Launches the kernel of gcrs.cu, what the erasure kernels are compared with. A unit is groups of w words of 8 bytes; word b of
 * each group belongs to strip b.
 */
final class Gcrs {
    private static final int THREADS = 128;
    private static final int COLUMNS = 512;
    private static final int ROWS = 32;

    private final int k;
    private final int w;
    private final CudaModule module;
    /** The bits of each launch, and how many parity units it makes. */
    private final List<int[]> bits = new ArrayList<>();

    private final List<Integer> parities = new ArrayList<>();

    /** @param rows for each parity strip the data strips whose xor it is */
    Gcrs(Gpu gpu, int w, int k, List<BitSet> rows) {
        if (k * w > COLUMNS) {
            throw new IllegalArgumentException("k * w must be at most " + COLUMNS + ", got " + k * w);
        }
        this.k = k;
        this.w = w;
        gpu.bind();
        module = gpu.module("gcrs");
        int most = ROWS / w;
        for (int first = 0; first < rows.size() / w; first += most) {
            int count = Math.min(most, rows.size() / w - first);
            parities.add(count);
            bits.add(columns(rows.subList(first * w, (first + count) * w)));
        }
    }

    private static int[] columns(List<BitSet> rows) {
        int[] columns = new int[COLUMNS];
        for (int row = 0; row < rows.size(); row++) {
            int bit = 1 << row;
            rows.get(row).stream().forEach(column -> columns[column] |= bit);
        }
        return columns;
    }

    /** @param unitBytes a multiple of 8 · w; data units lie one behind another, and so do parity units */
    void apply(long data, long parity, long unitBytes, CudaStream stream) {
        long words = unitBytes / Long.BYTES;
        int perBlock = THREADS / w * w;
        LaunchShape shape = new LaunchShape((int) ((words + perBlock - 1) / perBlock), 1, 1, THREADS, 0);
        long target = parity;
        for (int i = 0; i < bits.size(); i++) {
            module.function("gcrs_" + parities.get(i)).launch(shape, stream, data, target, bits.get(i), k, w, words);
            target += parities.get(i) * unitBytes;
        }
    }
}
