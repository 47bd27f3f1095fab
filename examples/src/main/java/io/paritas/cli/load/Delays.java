/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

/** Attributes the delays of queries to their causes. Times are in nanoseconds. Not thread-safe. */
final class Delays {
    private long lastDue;
    private long lastWait;

    /**
     * The delays of one query.
     *
     * @param late delay by a slow generator
     * @param waited delay by a lack of connections, for this query or those before it
     */
    record Delay(long late, long waited) {}

    /**
     * Returns the delays of the next query.
     *
     * @param due when it should have been sent
     * @param turn when the generator came to it
     * @param sent when it got a connection
     */
    Delay next(long due, long turn, long sent) {
        // The rest of the previous query's wait: an infinitely fast generator would have it as well.
        long inherited = Math.max(0, lastWait - (due - lastDue));
        long late = Math.max(0, turn - due - inherited);
        lastDue = due;
        lastWait = inherited + sent - turn;
        return new Delay(late, lastWait);
    }
}
