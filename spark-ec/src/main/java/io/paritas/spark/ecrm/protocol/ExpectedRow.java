/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import io.paritas.PublicApi;

/**
 * A row as a worker has read it. A push that expects it is committed only if the row is still the same then.
 *
 * @param table number of the table
 * @param row number of the row, which the same push updates
 * @param parameters of the row, compared bit for bit
 */
@PublicApi
public record ExpectedRow(int table, long row, float[] parameters) {
    void write(WireWriter to) {
        to.int4(table);
        to.int8(row);
        to.floats(parameters);
    }

    static ExpectedRow read(WireReader from) {
        return new ExpectedRow(from.int4(), from.int8(), from.floats());
    }
}
