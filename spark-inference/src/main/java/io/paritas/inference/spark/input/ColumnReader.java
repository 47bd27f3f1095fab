/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.io.Serializable;
import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Reads columns of one kind. Immutable; its fields use only classes that every Spark installation has. */
interface ColumnReader extends Serializable {

    /** The element type that {@link #read} writes. */
    default Element element() {
        return Element.FLOAT32;
    }

    /**
     * Appends the input of a row whose columns are not null; appends nothing if it throws.
     *
     * @param places of the columns in the row
     * @throws RowException if the row is not an input of the model
     */
    void read(SpecializedGetters row, int[] places, ByteBuffer into) throws RowException;
}
