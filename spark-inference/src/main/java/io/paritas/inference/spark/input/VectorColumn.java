/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.UserDefinedType;

/** A vector of Spark ML, dense or sparse, read as the struct that it is stored as: Spark ML need not be there. */
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
    public void read(SpecializedGetters row, ByteBuffer into) throws RowException {
        InternalRow vector = row.getStruct(0, FIELDS);
        ArrayData stored = vector.getArray(VALUES);
        boolean sparse = vector.getByte(TYPE) == SPARSE;
        input.requireSize(column, sparse ? vector.getInt(SIZE) : stored.numElements());
        float[] values = new float[input.size()];
        ArrayData indices = sparse ? vector.getArray(INDICES) : null;
        for (int i = 0; i < stored.numElements(); i++) {
            values[sparse ? indices.getInt(i) : i] = (float) stored.getDouble(i);
        }
        input.put(values, into);
    }
}
