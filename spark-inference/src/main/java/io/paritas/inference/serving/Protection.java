/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

/** What a {@link Policy} does, beside the broker's part, which is the same for all. */
interface Protection {

    /** A query has come, and must be sent. */
    void admitted(Query query, long now);

    /** An instance has answered; the work is over. */
    void answered(Work work, float[] output, long now);

    /** So many instances have failed that the work was given up; its query, if it has one, knows the last trouble. */
    void failed(Work work, long now);

    /** A query's deadline has passed; it has been told. */
    void expired(Query query, long now);

    /** Queries that it keeps: none, when all are answered and nobody waits for more. */
    default int remembered() {
        return 0;
    }
}
