/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.data;

import java.util.Arrays;

/**
 * Samples that a worker learns from in one step, with the distinct ids of their embedding rows. Arrays are given out as they
 * are: who reads them does not change them.
 */
public final class MiniBatch {
    private final float[] labels;
    private final float[] dense;
    private final int[] starts;
    private final long[] ids;
    private final int[] places;

    /**
     * Takes the arrays over. They fit each other, and the model.
     *
     * @param labels one for each sample
     * @param dense sample after sample
     * @param starts where the ids of each sample begin in {@code categorical}, and where the last ones end
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

    /** How many samples. */
    public int size() {
        return labels.length;
    }

    /** One for each sample, 0 or 1. */
    public float[] labels() {
        return labels;
    }

    /** The dense numbers, sample after sample. */
    public float[] dense() {
        return dense;
    }

    /** The ids of all rows that the samples need, each once, in ascending order. */
    public long[] ids() {
        return ids;
    }

    /** Where the rows of sample s are in {@link #places}: from {@code start(s)} to before {@code start(s + 1)}. */
    public int start(int sample) {
        return starts[sample];
    }

    /** For each row of each sample, where its id is in {@link #ids}. */
    public int[] places() {
        return places;
    }

    /** How many samples and distinct rows. */
    @Override
    public String toString() {
        return size() + " samples with " + ids.length + " distinct embedding rows";
    }
}
