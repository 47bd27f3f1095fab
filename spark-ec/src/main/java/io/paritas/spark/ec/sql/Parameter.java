/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import java.util.Locale;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.AnyDataType$;
import org.apache.spark.sql.types.DataTypes;

/** What the functions take. */
enum Parameter {
    DATA(DataTypes.BinaryType, "the bytes that are coded."),
    UNITS(
            DataTypes.createArrayType(DataTypes.BinaryType),
            "all n = k + r units as ec_encode makes them, NULL where one is missing."),
    LENGTH(DataTypes.LongType, "how many bytes were encoded."),
    ID(AnyDataType$.MODULE$, "what tells the row from all others, of any type that can be compared."),
    STRIPE(AnyDataType$.MODULE$, "an element of what ec_stripe returns; parity units may be NULL."),
    ROWS(
            AnyDataType$.MODULE$,
            "the rows that are left, as an array of structs of id and data, in any order; a row with NULL data is lost."),
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
