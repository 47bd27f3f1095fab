/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.Tables;

/**
 * Sums the rows of each sample by table, and propagates gradients back to the rows. Sums follow the order of the samples and of
 * their ids, so that equal batches give equal bits. Immutable.
 */
final class Pooling {
    private final Tables tables;
    private final int dimension;

    Pooling(Tables tables, int dimension) {
        this.tables = tables;
        this.dimension = dimension;
    }

    /** Returns the sums (samples, tables, dimension) of rows (ids, dimension). */
    float[] sums(MiniBatch batch, float[] rows) {
        float[] sums = new float[pooledLength(batch)];
        forEach(batch, (row, sum) -> add(rows, row, sums, sum));
        return sums;
    }

    /** Returns the gradients of the rows (ids, dimension), given those of the sums. */
    float[] gradients(MiniBatch batch, float[] sums) {
        float[] rows = new float[rowsLength(batch)];
        forEach(batch, (row, sum) -> add(sums, sum, rows, row));
        return rows;
    }

    int pooledLength(MiniBatch batch) {
        return Math.multiplyExact(Math.multiplyExact(batch.size(), tables.count()), dimension);
    }

    int rowsLength(MiniBatch batch) {
        return Math.multiplyExact(batch.ids().length, dimension);
    }

    private interface Pairs {
        /**
         * @param row offset of a row
         * @param sum offset of the sum that it is added to
         */
        void accept(int row, int sum);
    }

    private void forEach(MiniBatch batch, Pairs pairs) {
        int[] tableOf = new int[batch.ids().length];
        for (int i = 0; i < tableOf.length; i++) {
            tableOf[i] = tables.table(batch.ids()[i]);
        }
        int[] places = batch.places();
        for (int sample = 0; sample < batch.size(); sample++) {
            for (int i = batch.start(sample); i < batch.start(sample + 1); i++) {
                pairs.accept(places[i] * dimension, (sample * tables.count() + tableOf[places[i]]) * dimension);
            }
        }
    }

    private void add(float[] from, int offset, float[] to, int at) {
        for (int i = 0; i < dimension; i++) {
            to[at + i] += from[offset + i];
        }
    }
}
