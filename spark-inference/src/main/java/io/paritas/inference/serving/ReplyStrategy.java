/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

/** The part of a {@link Broker} that depends on the {@link Policy}: where queries are sent, and when they are answered. */
interface ReplyStrategy {

    /** Sends a query that has come. */
    void admitted(Query query, long now);

    /** Takes the answer to a work, which is over. */
    void answered(Work work, float[] output, long now);

    /** Hears of the answer to a work before {@link #answered}, and where that is not called because the work was over. */
    default void heard(Work work, InstanceAnswer answer, long now) {}

    /** Takes the end of a work that was given up after its last attempt; its query, if any, knows the last trouble. */
    void failed(Work work, long now);

    /** Whether an answer to a query is being computed, which is soon done. */
    default boolean isAboutToAnswer(Query query) {
        return false;
    }

    /** Cleans up after a query that is past its deadline and has been answered so. */
    void expired(Query query, long now);

    /** Cleans up after a query whose reply nobody wants any more, and which gets none. */
    default void withdrawn(Query query, long now) {
        expired(query, now);
    }

    /** How many queries it keeps: 0 when all are answered and nothing runs. */
    default int remembered() {
        return 0;
    }
}
