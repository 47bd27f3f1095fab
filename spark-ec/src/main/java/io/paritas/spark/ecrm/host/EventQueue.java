/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What waits for the thread of an {@link EventLoop}. Bounded by number, and by the bytes of messages. Thread-safe. */
final class EventQueue {
    /** Most events. */
    private static final int MOST = 100_000;

    private record Event(Runnable action, long bytes) {}

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>(MOST);
    private final AtomicLong waiting = new AtomicLong();
    private final long mostBytes;

    /** @param mostBytes most bytes of messages, but for a longer one that waits alone */
    EventQueue(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Returns a queue that takes an eighth of the heap, and not less than 64 MiB. */
    static EventQueue ofThisJvm() {
        return new EventQueue(Math.max(64 << 20, Runtime.getRuntime().maxMemory() / 8));
    }

    /**
     * Adds an event; returns false if too much waits.
     *
     * @param bytes of the message that it takes; 0 for other events
     */
    boolean offer(Runnable action, long bytes) {
        long all = waiting.addAndGet(bytes);
        boolean fits = bytes == 0 || all == bytes || all <= mostBytes;
        boolean added = fits && events.offer(new Event(action, bytes));
        if (!added) {
            waiting.addAndGet(-bytes);
        }
        return added;
    }

    /** Adds an event that is no message. Blocks while too many events wait. */
    void put(Runnable action) throws InterruptedException {
        events.put(new Event(action, 0));
    }

    /** Takes the next event and runs it; returns false if there is none within so many milliseconds. */
    boolean run(long longest) throws InterruptedException {
        Event event = events.poll(longest, TimeUnit.MILLISECONDS);
        if (event == null) {
            return false;
        }
        try {
            event.action().run();
        } finally {
            waiting.addAndGet(-event.bytes());
        }
        return true;
    }

    /** Returns the bytes of the messages that wait or are being taken. */
    long bytes() {
        return waiting.get();
    }
}
