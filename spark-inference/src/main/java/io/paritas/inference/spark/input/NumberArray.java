/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.bitset.BitSetMethods;

/**
 * An array of numbers. The numbers of nested arrays are read one after the other.
 *
 * @param floats whether the numbers are floats, which can be copied in bulk
 * @param depth levels of nesting around an array of numbers; 0 for a flat array
 */
record NumberArray(String column, ModelInput input, NumberGetter number, boolean floats, int depth)
        implements ColumnReader {

    private static final long serialVersionUID = 1;

    private static final boolean IS_LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    /** Returns a reader; empty if the innermost elements are not numbers. */
    static Optional<ColumnReader> of(String column, ModelInput input, ArrayType type) {
        DataType element = type.elementType();
        int depth = 0;
        while (element instanceof ArrayType inner) {
            element = inner.elementType();
            depth++;
        }
        boolean floats = element instanceof FloatType;
        int arrays = depth;
        return NumberGetter.of(element).map(number -> new NumberArray(column, input, number, floats, arrays));
    }

    @Override
    public void read(SpecializedGetters row, int[] places, ByteBuffer into) throws RowException {
        ArrayData array = row.getArray(places[0]);
        input.requireSize(column, count(array, depth));
        if (floats && depth == 0 && !input.pixels()) {
            if (array instanceof UnsafeArrayData stored && into.hasArray() && IS_LITTLE_ENDIAN) {
                copy(stored, into);
            } else {
                input.put(array.toFloatArray(), into);
            }
            return;
        }
        float[] values = new float[input.size()];
        fill(array, depth, values, 0);
        input.put(values, into);
    }

    /** Without an array of floats in between, which would cost more than all else that is done with a row. */
    private static void copy(UnsafeArrayData floats, ByteBuffer into) {
        int bytes = floats.numElements() * Float.BYTES;
        Platform.copyMemory(
                floats.getBaseObject(),
                floats.getBaseOffset() + UnsafeArrayData.calculateHeaderPortionInBytes(floats.numElements()),
                into.array(),
                Platform.BYTE_ARRAY_OFFSET + (long) into.arrayOffset() + into.position(),
                bytes);
        into.position(into.position() + bytes);
    }

    /** Counts the numbers in an array. */
    private long count(ArrayData array, int level) throws RowException {
        requireNoNull(array);
        if (level == 0) {
            return array.numElements();
        }
        long count = 0;
        for (int i = 0; i < array.numElements(); i++) {
            count += count(array.getArray(i), level - 1);
        }
        return count;
    }

    private void requireNoNull(ArrayData array) throws RowException {
        int elements = array.numElements();
        if (array instanceof UnsafeArrayData stored && !hasNull(stored)) {
            return;
        }
        for (int i = 0; i < elements; i++) {
            if (array.isNullAt(i)) {
                throw new RowException(
                        "column '" + column + "' must have a value everywhere, element " + i + " of an array is null");
            }
        }
    }

    /** Its null bits are words behind the number of elements. */
    private static boolean hasNull(UnsafeArrayData stored) {
        int words = UnsafeArrayData.calculateHeaderPortionInBytes(stored.numElements()) / Long.BYTES - 1;
        return BitSetMethods.anySet(stored.getBaseObject(), stored.getBaseOffset() + Long.BYTES, words);
    }

    /** Copies the numbers of an array to {@code start} and on; returns the index behind the last one. */
    private int fill(ArrayData array, int level, float[] values, int start) {
        int elements = array.numElements();
        if (level > 0) {
            int next = start;
            for (int i = 0; i < elements; i++) {
                next = fill(array.getArray(i), level - 1, values, next);
            }
            return next;
        }
        if (floats) {
            System.arraycopy(array.toFloatArray(), 0, values, start, elements);
        } else {
            for (int i = 0; i < elements; i++) {
                values[start + i] = number.get(array, i);
            }
        }
        return start + elements;
    }
}
