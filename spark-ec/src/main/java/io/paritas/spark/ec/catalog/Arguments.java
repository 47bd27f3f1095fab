/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.types.DataTypes;

/** The parameters of a procedure, all strings, and the values in a call. */
final class Arguments {
    private final ProcedureParameter[] parameters;
    private final InternalRow values;

    Arguments(ProcedureParameter[] parameters, InternalRow values) {
        this.parameters = parameters;
        this.values = values;
    }

    static ProcedureParameter required(String name, String comment) {
        return ProcedureParameter.in(name, DataTypes.StringType)
                .comment(comment)
                .build();
    }

    static ProcedureParameter optional(String name, String comment) {
        return ProcedureParameter.in(name, DataTypes.StringType)
                .comment(comment)
                .defaultValue("NULL")
                .build();
    }

    /**
     * The value of a parameter.
     *
     * @throws IllegalArgumentException if it is null
     */
    String text(int parameter) {
        return given(parameter)
                .orElseThrow(() -> new IllegalArgumentException(
                        parameters[parameter].name() + " must be " + parameters[parameter].comment() + ", got NULL"));
    }

    /** The value of a parameter that is {@code error} or {@code overwrite}; null means the first. */
    SaveMode mode(int parameter) {
        String text = given(parameter).orElse("error");
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "error" -> SaveMode.ErrorIfExists;
            case "overwrite" -> SaveMode.Overwrite;
            default -> throw new IllegalArgumentException("mode must be error or overwrite, got '" + text + "'");
        };
    }

    /** The value of a parameter; empty if it is null. */
    Optional<String> given(int parameter) {
        return values.isNullAt(parameter)
                ? Optional.empty()
                : Optional.of(values.getUTF8String(parameter).toString());
    }
}
