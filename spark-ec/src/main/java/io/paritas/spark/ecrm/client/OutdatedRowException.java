/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.PublicApi;

/**
 * Thrown when a push expects a row that somebody else has updated since it was read: nothing of the push is committed.
 * A worker that counts its iterations in such a row thereby learns that another one has taken its place.
 */
@PublicApi
public final class OutdatedRowException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OutdatedRowException(int table, long row) {
        super("row " + row + " of table " + table + " must be as it was read, got one that somebody else has updated:"
                + " read it again, or end if another worker has taken over");
    }
}
