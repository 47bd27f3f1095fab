/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.io.Serializable;
import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Reads columns of one kind. Immutable, with fields that exist wherever Spark does. */
interface ColumnReader extends Serializable {

    /** What {@link #read} writes. */
    default Element element() {
        return Element.FLOAT32;
    }

    /**
     * Appends the input of a row, which has no nulls in its columns, or nothing.
     *
     * @throws RowException if the row's values are no input of the model
     */
    void read(SpecializedGetters row, ByteBuffer into) throws RowException;
}
