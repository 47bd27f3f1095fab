/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.ProcedureCatalog;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A catalog of the procedures that keep rows on executors and in checkpoints. */
public final class ParitasCatalog implements ProcedureCatalog {
    private static final List<SessionProcedure> PROCEDURES = List.of(
            new PersistProcedure(),
            new UnpersistProcedure(),
            new HealthProcedure(),
            new WriteCheckpointProcedure(),
            new ReadCheckpointProcedure(),
            DamageProcedure.verify(),
            DamageProcedure.repair());

    private String name;

    @Override
    public void initialize(String catalog, CaseInsensitiveStringMap options) {
        this.name = catalog;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public UnboundProcedure loadProcedure(Identifier identifier) {
        return PROCEDURES.stream()
                .filter(procedure ->
                        identifier.namespace().length == 0 && procedure.name().equalsIgnoreCase(identifier.name()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a procedure of the catalog " + name
                        + " must be one of "
                        + PROCEDURES.stream().map(SessionProcedure::name).collect(Collectors.joining(", "))
                        + ", got " + identifier));
    }

    @Override
    public Identifier[] listProcedures(String[] namespace) {
        return namespace.length > 0
                ? new Identifier[0]
                : PROCEDURES.stream()
                        .map(procedure -> Identifier.of(namespace, procedure.name()))
                        .toArray(Identifier[]::new);
    }
}
