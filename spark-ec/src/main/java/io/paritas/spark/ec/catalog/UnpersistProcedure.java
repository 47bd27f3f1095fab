/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code CALL paritas.unpersist(name => 'kept')}. */
final class UnpersistProcedure extends SessionProcedure {
    private static final StructType SCHEMA = StructType.fromDDL("name STRING NOT NULL, freed_bytes BIGINT NOT NULL");

    UnpersistProcedure() {
        super(
                "unpersist",
                "Drops a view that persist has created in this session, and its units on executors.",
                Arguments.required("name", "the temporary view"));
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
        KeptView view = KeptViews.ofActiveSession().drop(new Arguments(parameters(), input).text(0));
        long bytes = view.store().bytes();
        view.store().close();
        return Result.of(
                SCHEMA, List.of(new GenericInternalRow(new Object[] {UTF8String.fromString(view.name()), bytes})));
    }
}
