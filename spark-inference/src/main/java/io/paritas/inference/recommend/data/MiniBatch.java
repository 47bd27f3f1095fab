/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import java.util.Arrays;

/**
 * Samples of one training step, with the distinct ids of their embedding rows. Accessors return the arrays themselves: callers
 * must not change them.
 */
public final class MiniBatch {
    private final float[] labels;
    private final float[] dense;
    private final int[] starts;
    private final long[] ids;
    private final int[] places;

    /**
     * Takes ownership of arrays that fit each other and the model.
     *
     * @param labels one for each sample
     * @param dense sample after sample
     * @param starts start of each sample in {@code categorical}, and the end of the last one
     * @param categorical sample after sample
     */
    public MiniBatch(float[] labels, float[] dense, int[] starts, long[] categorical) {
        this.labels = labels;
        this.dense = dense;
        this.starts = starts;
        this.ids = Arrays.stream(categorical).sorted().distinct().toArray();
        this.places = new int[categorical.length];
        Arrays.setAll(places, i -> Arrays.binarySearch(ids, categorical[i]));
    }

    /** Number of samples. */
    public int size() {
        return labels.length;
    }

    /** Labels, one for each sample, 0 or 1. */
    public float[] labels() {
        return labels;
    }

    /** The dense numbers, sample after sample. */
    public float[] dense() {
        return dense;
    }

    /** The distinct ids of all samples, ascending. */
    public long[] ids() {
        return ids;
    }

    /** Start of a sample in {@link #places}; it ends before {@code start(sample + 1)}. */
    public int start(int sample) {
        return starts[sample];
    }

    /** For each row of each sample, the index of its id in {@link #ids}. */
    public int[] places() {
        return places;
    }

    /** For example {@code 256 samples with 900 distinct embedding rows}. */
    @Override
    public String toString() {
        return size() + " samples with " + ids.length + " distinct embedding rows";
    }
}
