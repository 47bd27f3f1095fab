/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The SQL types of stripes and of their rows. */
final class StripeTypes {
    private StripeTypes() {}

    /** The type of a stripe: the ids and the lengths of its rows, and its parity. */
    static StructType stripe(DataType id) {
        return new StructType()
                .add("ids", DataTypes.createArrayType(id, false), false)
                .add("lengths", DataTypes.createArrayType(DataTypes.IntegerType, false), false)
                .add("parity", DataTypes.createArrayType(DataTypes.BinaryType, false), false);
    }

    /** The type that {@code ec_stripe} returns. */
    static ArrayType stripes(DataType id) {
        return DataTypes.createArrayType(stripe(id), false);
    }

    /** The type that {@code ec_unstripe} takes and returns. */
    static ArrayType rows(DataType id) {
        StructType row = new StructType().add("id", id, false).add("data", DataTypes.BinaryType, false);
        return DataTypes.createArrayType(row, false);
    }

    /** The type of the ids of a stripe. */
    static DataType id(DataType stripe) {
        return ((ArrayType) ((StructType) stripe).fields()[0].dataType()).elementType();
    }

    /**
     * Checks the type of the ids of rows.
     *
     * @throws IllegalArgumentException if they cannot be compared
     */
    static void checkId(DataType id) {
        if (!RowOrdering.isOrderable(id)) {
            throw new IllegalArgumentException("id must be of a type that can be compared, got " + id.sql());
        }
    }

    /**
     * Checks the types of a stripe and of its rows. Names of fields and nullability do not matter.
     *
     * @throws IllegalArgumentException if they are wrong
     */
    static void check(DataType stripe, DataType rows) {
        if (!(stripe instanceof StructType fields
                && fields.length() == 3
                && fields.fields()[0].dataType() instanceof ArrayType
                && sameShape(stripe, stripe(id(stripe))))) {
            throw new IllegalArgumentException(
                    "stripe must be an element of the array that ec_stripe returns, a STRUCT<ids:"
                            + " ARRAY<the type of the ids>, lengths: ARRAY<INT>, parity: ARRAY<BINARY>>, got "
                            + stripe.sql());
        }
        checkId(id(stripe));
        if (!sameShape(rows, rows(id(stripe)))) {
            throw new IllegalArgumentException("rows must be an ARRAY<STRUCT<id: "
                    + id(stripe).sql() + ", data: BINARY>>, with the type of the stripe's ids, got " + rows.sql());
        }
    }

    private static boolean sameShape(DataType one, DataType other) {
        return DataType.equalsStructurally(one, other, true);
    }
}
