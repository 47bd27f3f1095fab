/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * The stripes of a group's rows so far, as an aggregation buffer: the parity of complete stripes, and fewer than k rows of the
 * next one. For one thread.
 */
final class Stripes {
    private final List<InternalRow> complete = new ArrayList<>();
    private final List<Object> ids = new ArrayList<>();
    private final List<byte[]> rows = new ArrayList<>();

    /** Adds a row. Keeps the id and the bytes, not copies. */
    void add(Object id, byte[] row, StripeCoder coder) {
        ids.add(id);
        rows.add(row);
        if (rows.size() == coder.k()) {
            complete.add(coder.stripe(ids, rows));
            ids.clear();
            rows.clear();
        }
    }

    /** Adds the stripes and rows of another buffer. */
    void add(Stripes other, StripeCoder coder) {
        complete.addAll(other.complete);
        for (int i = 0; i < other.rows.size(); i++) {
            add(other.ids.get(i), other.rows.get(i), coder);
        }
    }

    /** Returns all stripes; the remaining rows form the last one. Changes nothing. */
    ArrayData toArray(StripeCoder coder) {
        List<Object> all = new ArrayList<>(complete);
        if (!rows.isEmpty()) {
            all.add(coder.stripe(ids, rows));
        }
        return new GenericArrayData(all.toArray());
    }

    /** The projection for {@link #write}. */
    static UnsafeProjection projection(DataType idType) {
        return UnsafeProjection.create(new DataType[] {
            StripeTypes.stripes(idType),
            DataTypes.createArrayType(idType, false),
            DataTypes.createArrayType(DataTypes.BinaryType, false)
        });
    }

    byte[] write(UnsafeProjection projection) {
        return projection
                .apply(new GenericInternalRow(new Object[] {
                    new GenericArrayData(complete.toArray()),
                    new GenericArrayData(ids.toArray()),
                    new GenericArrayData(rows.toArray())
                }))
                .getBytes();
    }

    /** Reads a buffer that was written; it refers to the bytes. */
    static Stripes read(byte[] bytes, DataType idType) {
        UnsafeRow row = new UnsafeRow(3);
        row.pointTo(bytes, bytes.length);
        Stripes stripes = new Stripes();
        for (int i = 0; i < row.getArray(0).numElements(); i++) {
            stripes.complete.add(row.getArray(0).getStruct(i, 3));
        }
        for (int i = 0; i < row.getArray(1).numElements(); i++) {
            stripes.ids.add(row.getArray(1).get(i, idType));
            stripes.rows.add(row.getArray(2).getBinary(i));
        }
        return stripes;
    }
}
