/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread for small pieces of work that are in no hurry. After what there was it rests, and then does what has come meanwhile: to wake a thread
 * for each piece costs more than the work. It rests no longer when half of the places are taken. Thread-safe.
 */
final class RestingWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RestingWorker.class);
    private static final long REST = TimeUnit.MILLISECONDS.toNanos(50);

    private final BlockingQueue<Runnable> waiting;
    private final int half;
    private final Thread thread;
    private volatile boolean closed;

    /** @param places pieces of work that may wait */
    RestingWorker(String name, int places) {
        waiting = new ArrayBlockingQueue<>(places);
        half = places / 2;
        thread = new Thread(this::work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Has it done later; returns false if too much waits, and drops it. */
    boolean offer(Runnable piece) {
        boolean taken = waiting.offer(piece);
        if (waiting.size() >= half) {
            LockSupport.unpark(thread);
        }
        return taken;
    }

    private void work() {
        while (!closed) {
            try {
                run(waiting.take());
                for (Runnable next = waiting.poll(); next != null && !closed; next = waiting.poll()) {
                    run(next);
                }
                LockSupport.parkNanos(this, REST);
            } catch (Throwable e) {
                // It is closed, or there is no memory to tell of a failure.
            }
        }
    }

    private static void run(Runnable piece) {
        try {
            piece.run();
        } catch (Throwable e) {
            // Neither an error nor what Spark does not declare may end the thread of the pieces behind it.
            LOG.warn("Paritas: an answer could not be screened", e);
        }
    }

    /** Ends the thread; what waits is dropped. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
