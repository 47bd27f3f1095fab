/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.types.StructType;

/**
 * A procedure that takes the same parameters in every call and answers by what the session has. Its description names its parameters: Spark 4.1
 * shows nothing else, and has no {@code SimpleProcedure}.
 */
abstract class SessionProcedure implements UnboundProcedure, BoundProcedure {
    private final String name;
    private final String summary;
    private final ProcedureParameter[] parameters;

    SessionProcedure(String name, String summary, ProcedureParameter... parameters) {
        this.name = name;
        this.summary = summary;
        this.parameters = parameters;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String description() {
        return Arrays.stream(parameters)
                .map(parameter -> parameter.name() + ": " + parameter.comment())
                .collect(Collectors.joining("; ", summary + " Parameters: ", "."));
    }

    @Override
    public final ProcedureParameter[] parameters() {
        return parameters.clone();
    }

    @Override
    public final BoundProcedure bind(StructType arguments) {
        return this;
    }

    @Override
    public final boolean isDeterministic() {
        return false;
    }
}
