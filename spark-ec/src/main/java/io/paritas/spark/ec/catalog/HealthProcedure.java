/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Scan;

/** {@code CALL paritas.health()}, {@code CALL paritas.health(name => 'kept')}. */
final class HealthProcedure extends SessionProcedure {

    HealthProcedure() {
        super(
                "health",
                "Shows what is stored of the erasure-coded views of this session, and what is missing now.",
                Arguments.optional("name", "the temporary view; NULL means all of them"));
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
        KeptViews views = KeptViews.ofActiveSession();
        List<KeptView> asked = new Arguments(parameters(), input)
                .given(0)
                .map(name -> List.of(views.view(name)))
                .orElseGet(views::all);
        return Result.of(KeptView.SCHEMA, asked.stream().map(KeptView::row).toList());
    }
}
