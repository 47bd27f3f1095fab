/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * A sample.
 *
 * @param label 1 for a click, 0 for none
 * @param dense dense numbers
 * @param categorical ids of embedding rows
 */
record Sample(float label, float[] dense, long[] categorical) {

    /** A row with the columns of {@link Samples#SCHEMA}. */
    Row toRow() {
        return RowFactory.create(label, dense, categorical);
    }
}
