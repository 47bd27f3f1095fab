/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import java.util.Locale;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.AnyDataType$;
import org.apache.spark.sql.types.DataTypes;

/** The parameters of the functions. */
enum Parameter {
    DATA(DataTypes.BinaryType, "the bytes to encode."),
    UNITS(
            DataTypes.createArrayType(DataTypes.BinaryType),
            "all n = k + r units as ec_encode returns them, NULL where one is missing."),
    LENGTH(DataTypes.LongType, "the number of bytes that were encoded."),
    ID(AnyDataType$.MODULE$, "an identifier of the row, unique in its group, of any type that can be compared."),
    STRIPE(AnyDataType$.MODULE$, "an element of the array that ec_stripe returns; parity units may be NULL."),
    ROWS(
            AnyDataType$.MODULE$,
            "the rows that are not lost, as an array of structs of id and data, in any order; a row with NULL data"
                    + " counts as lost."),
    CODE(
            DataTypes.StringType,
            "the code's name, a constant text: K-R, paritas-K-R, rs-K-R, isal-K-R, xor-K or lrc-K-R-L.");

    private final AbstractDataType type;
    private final String meaning;

    Parameter(AbstractDataType type, String meaning) {
        this.type = type;
        this.meaning = meaning;
    }

    AbstractDataType type() {
        return type;
    }

    String meaning() {
        return meaning;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
