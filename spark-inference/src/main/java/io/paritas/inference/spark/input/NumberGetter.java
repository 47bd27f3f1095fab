/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.io.Serializable;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;

/** Reads a number from a row or an array, as the nearest float. */
@FunctionalInterface
interface NumberGetter extends Serializable {

    float get(SpecializedGetters values, int ordinal);

    /** Returns the getter for a type; empty if it is not numeric. Booleans are 0 and 1. */
    static Optional<NumberGetter> of(DataType type) {
        NumberGetter getter = null;
        if (type instanceof FloatType) {
            getter = SpecializedGetters::getFloat;
        } else if (type instanceof DoubleType) {
            getter = (values, ordinal) -> (float) values.getDouble(ordinal);
        } else if (type instanceof IntegerType) {
            getter = SpecializedGetters::getInt;
        } else if (type instanceof LongType) {
            getter = SpecializedGetters::getLong;
        } else if (type instanceof ShortType) {
            getter = SpecializedGetters::getShort;
        } else if (type instanceof ByteType) {
            getter = SpecializedGetters::getByte;
        } else if (type instanceof BooleanType) {
            getter = (values, ordinal) -> values.getBoolean(ordinal) ? 1 : 0;
        } else if (type instanceof DecimalType decimal) {
            int precision = decimal.precision();
            int scale = decimal.scale();
            getter = (values, ordinal) ->
                    values.getDecimal(ordinal, precision, scale).toFloat();
        }
        return Optional.ofNullable(getter);
    }
}
