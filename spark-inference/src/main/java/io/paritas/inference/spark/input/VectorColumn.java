/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.UserDefinedType;

/**
 * A Spark ML vector, dense or sparse. It is read as the struct that stores it, so Spark ML need not be on the class
 * path.
 */
record VectorColumn(String column, ModelInput input) implements ColumnReader {
    private static final long serialVersionUID = 1;

    /* The struct: tinyint type, int size, array<int> indices, array<double> values; a dense vector has only values. */
    private static final int TYPE = 0;
    private static final int SIZE = 1;
    private static final int INDICES = 2;
    private static final int VALUES = 3;
    private static final int FIELDS = 4;
    private static final byte SPARSE = 0;

    static boolean accepts(DataType type) {
        return type instanceof UserDefinedType<?>
                && type.getClass().getName().equals("org.apache.spark.ml.linalg.VectorUDT");
    }

    @Override
    public void read(SpecializedGetters row, int[] places, ByteBuffer into) throws RowException {
        InternalRow vector = row.getStruct(places[0], FIELDS);
        ArrayData stored = vector.getArray(VALUES);
        float[] values = new float[input.size()];
        if (vector.getByte(TYPE) == SPARSE) {
            input.requireSize(column, vector.getInt(SIZE));
            ArrayData indices = vector.getArray(INDICES);
            for (int i = 0; i < stored.numElements(); i++) {
                int index = indices.getInt(i);
                if (index < 0 || index >= values.length) {
                    throw new RowException("column '" + column + "' must have indices of vectors from 0 to "
                            + (values.length - 1) + ", got " + index);
                }
                values[index] = (float) stored.getDouble(i);
            }
        } else {
            input.requireSize(column, stored.numElements());
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) stored.getDouble(i);
            }
        }
        input.put(values, into);
    }
}
