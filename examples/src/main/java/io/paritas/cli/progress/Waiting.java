/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.progress;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Says on standard error what a command is doing: a second after each of its steps has begun, and then every ten. Steps that take less
 * time are done in silence.
 */
public final class Waiting implements AutoCloseable {
    private static final Duration FIRST = Duration.ofMillis(Long.getLong("paritas.progress.first", 1000));
    private static final Duration NEXT = Duration.ofSeconds(10);

    private final PrintWriter err;
    private final Duration first;
    private final Duration next;
    private final long start = System.nanoTime();
    private final AtomicLong done = new AtomicLong();
    private final Thread teller = new Thread(this::tell, "paritas-progress");
    private Step step;

    /**
     * What is being done.
     *
     * @param total of what is counted; 0 if nothing is
     */
    private record Step(String what, long total) {}

    /** When the next line is due, as a time of {@link System#nanoTime}. */
    private long due;

    Waiting(PrintWriter err, Duration first, Duration next) {
        this.err = err;
        this.first = first;
        this.next = next;
        teller.setDaemon(true);
        teller.start();
    }

    /** Returns a report on this writer, which no other thread writes to until it is closed. */
    public static Waiting on(PrintWriter err) {
        return new Waiting(err, FIRST, NEXT);
    }

    /** Begins a step that nothing counts. */
    public void begin(String what) {
        begin(what, 0);
    }

    /** Begins a step that ends when it has advanced to a total. */
    public synchronized void begin(String what, long total) {
        done.set(0);
        step = new Step(what, total);
        due = System.nanoTime() + first.toNanos();
        notifyAll();
    }

    /** Counts a part of the step. */
    public void advance() {
        done.incrementAndGet();
    }

    private synchronized void tell() {
        try {
            while (step == null) {
                wait();
            }
            while (true) {
                long left = due - System.nanoTime();
                if (left > 0) {
                    wait(left / 1_000_000 + 1);
                } else {
                    print();
                    due = System.nanoTime() + next.toNanos();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it is over
        }
    }

    private void print() {
        err.println("  " + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s, " + step.what
                + (step.total == 0 ? "" : ", " + 100 * done.get() / step.total + " % done"));
        err.flush();
    }

    @Override
    public void close() {
        teller.interrupt();
        boolean interrupted = false;
        while (teller.isAlive()) {
            try {
                teller.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
