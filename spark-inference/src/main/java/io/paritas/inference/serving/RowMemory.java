/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A bound of the bytes that the rows of queries have until these have their replies, of all models together. The number of queries that
 * may wait is no such bound: rows of images are large. Thread-safe; nobody waits for a lock.
 */
final class RowMemory {
    private final long most;
    private final AtomicLong taken = new AtomicLong();

    /** This many bytes. */
    RowMemory(long most) {
        this.most = most;
    }

    /** An eighth of Java's heap: the collector G1 may need twice the bytes of a large row, and groups and batches keep rows, too. */
    static RowMemory ofHeap() {
        return new RowMemory(Runtime.getRuntime().maxMemory() / 8);
    }

    /**
     * Takes bytes for rows. Who is alone gets as many as it wants.
     *
     * @throws RejectedException if there is no room for them
     */
    void take(long bytes) {
        long before;
        do {
            before = taken.get();
            if (before > 0 && bytes > most - before) {
                throw new RejectedException("the rows of all queries without a reply must have at most " + most
                        + " bytes together, got " + bytes + " more than the " + before
                        + " that they have: ask again, or raise Java's heap");
            }
        } while (!taken.compareAndSet(before, before + bytes));
    }

    void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }
}
