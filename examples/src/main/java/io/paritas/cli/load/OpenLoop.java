/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Sends queries at times that do not depend on replies. Latencies count from the time at which a query should have been sent, so
 * they include waits caused by a slow server or a slow generator.
 */
final class OpenLoop {
    private final Sender sender;
    private final int connections;

    /** @param connections most queries in flight; others wait, which counts as latency */
    OpenLoop(Sender sender, int connections) {
        this.sender = sender;
        this.connections = connections;
    }

    /**
     * Sends a query for each time, and waits for all of them.
     *
     * @param times in nanoseconds from now, ascending
     * @param warmUp number of first queries that are not counted
     * @param ended is called after each query, by any thread
     */
    Tally run(long[] times, int warmUp, Consumer<Outcome> ended) throws InterruptedException {
        Semaphore free = new Semaphore(connections);
        long start = System.nanoTime();
        Tally tally = new Tally(start + times[warmUp]);
        Delays delays = new Delays();
        for (int i = 0; i < times.length; i++) {
            long due = start + times[i];
            awaitTime(due);
            long turn = System.nanoTime();
            free.acquire();
            Delays.Delay delay = delays.next(due, turn, System.nanoTime());
            boolean counted = i >= warmUp;
            if (counted) {
                tally.sent(delay);
            }
            var unused = sender.send(i)
                    .thenAccept(outcome -> {
                        long now = System.nanoTime();
                        if (counted) {
                            tally.ended(outcome, now - due, now);
                        }
                        ended.accept(outcome);
                    })
                    .whenComplete((nothing, failure) -> free.release());
        }
        free.acquire(connections);
        return tally;
    }

    private static void awaitTime(long due) throws InterruptedException {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(left);
        }
    }
}
