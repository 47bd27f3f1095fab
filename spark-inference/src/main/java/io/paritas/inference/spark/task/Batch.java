/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Rows that are predicted together, with their inputs as they cross the exchange: not yet scaled, little-endian.
 *
 * @param group id of the group, unique in a query
 * @param slot place in the group: below k for data, from k on for parity
 * @param shape shape of the group; null for a batch of data that does not know the others
 * @param rows columns of the rows; none for a parity batch
 * @param inputs inputs of {@link #size} rows
 */
record Batch(long group, int slot, GroupShape shape, PackedRows rows, ByteBuffer inputs) {
    private static final StructType EXCHANGED = new StructType()
            .add("partition", DataTypes.IntegerType, false)
            .add("group", DataTypes.LongType, false)
            .add("slot", DataTypes.IntegerType, false)
            .add("total", DataTypes.IntegerType, false)
            .add("rows", DataTypes.BinaryType, false)
            .add("inputs", DataTypes.BinaryType, false);

    /** The columns that cross the exchange; the first is the partition to go to. */
    static List<Attribute> attributes() {
        return Attributes.of(EXCHANGED);
    }

    static DataType[] types() {
        return attributes().stream().map(Attribute::dataType).toArray(DataType[]::new);
    }

    static InternalRow exchanged(int partition, long group, int slot, int total, byte[] rows, byte[] inputs) {
        return new GenericInternalRow(new Object[] {partition, group, slot, total, rows, inputs});
    }

    /** Reads a batch that has crossed the exchange. */
    static Batch of(InternalRow exchanged, int k, int fields) {
        return new Batch(
                exchanged.getLong(1),
                exchanged.getInt(2),
                GroupShape.even(k, exchanged.getInt(3)),
                new PackedRows(exchanged.getBinary(4), fields),
                ByteBuffer.wrap(exchanged.getBinary(5)));
    }

    /** Number of rows for the model. */
    int size() {
        if (shape == null) {
            return rows.accepted();
        }
        return slot < shape.k() ? shape.rows(slot) : shape.height();
    }
}
