/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;

/** The rows that a procedure returns. */
record Result(StructType readSchema, InternalRow... rows) implements LocalScan {

    /** As Spark wants it. */
    static Iterator<Scan> of(StructType schema, List<InternalRow> rows) {
        return List.<Scan>of(new Result(schema, rows.toArray(InternalRow[]::new)))
                .iterator();
    }
}
