/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.load;

/** Tells apart why queries are sent later than they should be. Times are in nanoseconds; one thread. */
final class Delays {
    private long lastDue;
    private long lastWait;

    /**
     * Why one query was late.
     *
     * @param late because the generator was slow
     * @param waited because all connections were taken, by this query or by those before it
     */
    record Delay(long late, long waited) {}

    /**
     * The next query.
     *
     * @param due when it should have been sent
     * @param turn when its turn came
     * @param sent when it got a connection
     */
    Delay next(long due, long turn, long sent) {
        // The rest of the wait of the query before: a generator that takes no time would have it too.
        long inherited = Math.max(0, lastWait - (due - lastDue));
        long late = Math.max(0, turn - due - inherited);
        lastDue = due;
        lastWait = inherited + sent - turn;
        return new Delay(late, lastWait);
    }
}
