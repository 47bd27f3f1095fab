/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.inference.StoredRows;
import java.nio.FloatBuffer;

/** The rows of a batch for a lane. */
sealed interface Rows {

    /** Number of rows. */
    int count();

    /** Returns some of the rows. */
    Rows part(int from, int count);

    /** As the model reads them. */
    record Scaled(int count, FloatBuffer values) implements Rows {
        @Override
        public Rows part(int from, int some) {
            int size = values.limit() / count;
            return new Scaled(some, values.slice(from * size, some * size));
        }
    }

    /** To be scaled on the GPU. */
    record Stored(StoredRows rows) implements Rows {
        @Override
        public int count() {
            return rows.rows();
        }

        @Override
        public Rows part(int from, int some) {
            return new Stored(rows.part(from, some));
        }
    }
}
