/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;

/**
 * An array of numbers. Arrays of arrays are taken one after the other.
 *
 * @param depth arrays around an array of numbers
 */
record NumberArray(String column, ModelInput input, NumberGetter number, int depth) implements ColumnReader {
    private static final long serialVersionUID = 1;

    /** Empty if it is no array of numbers. */
    static Optional<ColumnReader> of(String column, ModelInput input, ArrayType type) {
        DataType element = type.elementType();
        int depth = 0;
        while (element instanceof ArrayType inner) {
            element = inner.elementType();
            depth++;
        }
        int arrays = depth;
        return NumberGetter.of(element).map(number -> new NumberArray(column, input, number, arrays));
    }

    @Override
    public void read(SpecializedGetters row, ByteBuffer into) throws RowException {
        ArrayData array = row.getArray(0);
        input.requireSize(column, count(array, depth));
        float[] values = new float[input.size()];
        fill(array, depth, values, 0);
        input.put(values, into);
    }

    private long count(ArrayData array, int level) throws RowException {
        if (level == 0) {
            return array.numElements();
        }
        long count = 0;
        for (int i = 0; i < array.numElements(); i++) {
            requireValue(array, i);
            count += count(array.getArray(i), level - 1);
        }
        return count;
    }

    /** Where the next value goes. */
    private int fill(ArrayData array, int level, float[] values, int start) throws RowException {
        int next = start;
        int elements = array.numElements();
        for (int i = 0; i < elements; i++) {
            if (level > 0) {
                next = fill(array.getArray(i), level - 1, values, next);
            } else {
                requireValue(array, i);
                values[next++] = number.get(array, i);
            }
        }
        return next;
    }

    private void requireValue(ArrayData array, int i) throws RowException {
        if (array.isNullAt(i)) {
            throw new RowException(
                    "column '" + column + "' must have a value everywhere, element " + i + " of an array is null");
        }
    }
}
