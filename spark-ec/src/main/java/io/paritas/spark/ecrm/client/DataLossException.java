/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.PublicApi;
import java.util.Arrays;

/** Thrown when requested rows or blocks are lost: more servers failed than the redundancy of the model tolerates. */
@PublicApi
public final class DataLossException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DataLossException(int table, long[] numbers) {
        super((table < 0 ? "blocks " : "stripes of table " + table + " ") + Arrays.toString(numbers)
                + " are lost, because more servers failed at once than the redundancy of the model tolerates:"
                + " restore a checkpoint");
    }
}
