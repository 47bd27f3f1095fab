/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Scan;

/** {@code CALL paritas.persist(source => 'events', code => 'rs-4-2', name => 'kept')}. */
final class PersistProcedure extends SessionProcedure {

    PersistProcedure() {
        super(
                "persist",
                "Computes rows, keeps them erasure-coded on the executors, and creates a temporary view of them in this"
                        + " session.",
                Arguments.required("source", "a table, a view or a query"),
                Arguments.required("code", "such as rs-4-2, paritas-6-3, xor-4 or lrc-12-2-2"),
                Arguments.required("name", "the new temporary view"),
                Arguments.optional(
                        "mode",
                        "error, if there must be no view of that name, or overwrite, to replace one that persist has"
                                + " created; NULL means error"));
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
        Arguments arguments = new Arguments(parameters(), input);
        try {
            KeptView view = KeptViews.ofActiveSession()
                    .persist(arguments.text(0), arguments.text(1), arguments.text(2), arguments.mode(3));
            return Result.of(KeptView.SCHEMA, List.of(view.row()));
        } catch (AnalysisException e) {
            throw PersistProcedure.<RuntimeException>undeclared(e);
        }
    }

    /** As it is, an error of Spark: Python and handlers of scripts know it by its class. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> E undeclared(AnalysisException failure) throws E {
        throw (E) failure;
    }
}
