/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import io.paritas.spark.ec.store.ErasureCodedStore;
import io.paritas.spark.ec.store.Health;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A temporary view of erasure-coded rows. */
record KeptView(String name, ErasureCodedStore<?> store) {
    /** The columns of {@link #row}. */
    static final StructType SCHEMA = StructType.fromDDL(
            "name STRING NOT NULL, code STRING NOT NULL, partitions INT NOT NULL, stripes INT NOT NULL, data_bytes"
                    + " BIGINT NOT NULL, parity_bytes BIGINT NOT NULL, overhead DOUBLE NOT NULL, missing_units INT NOT"
                    + " NULL, broken_stripes INT NOT NULL, survives INT NOT NULL");

    /** The state of the view, as a row. */
    InternalRow row() {
        Health health = store.health();
        return new GenericInternalRow(new Object[] {
            UTF8String.fromString(name),
            UTF8String.fromString(store.code().toString()),
            health.partitions(),
            health.stripes(),
            health.dataBytes(),
            health.parityBytes(),
            health.overhead(),
            health.missingUnits(),
            health.brokenStripes(),
            health.survives()
        });
    }
}
