/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of something that is not thread-safe, one after the other, without a lock and without a thread: who posts an event and
 * finds nobody at the mailbox handles all that is there, and the others go on at once. So threads that carry requests and answers never
 * wait for each other, not even for one that the operating system has stopped. A thread runs the effects of the events that it has
 * handled when it has left the mailbox: whoever posts an event meanwhile waits for no codec and no socket. Thread-safe.
 *
 * <p>An effect may post the next event: an instance that answers at once does so with each of its batches. What follows runs within that
 * effect, but for the innermost of many, whose own effects wait until it has returned: the stack stays short.
 *
 * <p>Where there are many events, a thread handles some and then runs their effects. Whoever posts meanwhile goes on with the events;
 * if nobody does, the rest waits for these effects. A thread whose stack ends amid an event loses that event, perhaps with effects of
 * others before it, and leaves the mailbox to others.
 */
final class Mailbox {
    private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);

    /* So many effects may run within each other. */
    private static final int DEPTH = 16;

    /* So many events a thread handles before it runs their effects. */
    private static final int EVENTS = 256;

    private static final AtomicIntegerFieldUpdater<Mailbox> ATTENDED =
            AtomicIntegerFieldUpdater.newUpdater(Mailbox.class, "attended");

    private static final ThreadLocal<Turn> TURNS = ThreadLocal.withInitial(Turn::new);

    private final Object owner;
    private final LongConsumer settle;
    private final Queue<LongConsumer> events = new ConcurrentLinkedQueue<>();
    /* 1 while a thread is at the mailbox: who raises it from 0. */
    private volatile int attended;
    /* Those of the thread that is at the mailbox. */
    private Queue<LongConsumer> effects = new ArrayDeque<>();

    /** The effects that a thread runs, of any mailboxes. */
    private static final class Turn {
        private int depth;
        private Queue<LongConsumer> innermost = new ArrayDeque<>();
    }

    /**
     * A mailbox.
     *
     * @param owner for the log
     * @param settle runs after some events, before their effects
     */
    Mailbox(Object owner, Runnable settle) {
        this.owner = owner;
        this.settle = now -> settle.run();
    }

    /**
     * Handles an event, now or as soon as the thread that is at the mailbox comes to it.
     *
     * @param event takes the time in nanoseconds
     */
    void post(LongConsumer event) {
        Turn turn = TURNS.get();
        boolean waits = turn.depth >= DEPTH;
        Queue<LongConsumer> own = waits ? turn.innermost : new ArrayDeque<>();
        events.add(event);
        int left;
        do {
            left = waits ? Integer.MAX_VALUE : EVENTS;
            try {
                /* Again after each time: who found a thread here has left its event to that thread. */
                while (left > 0 && !events.isEmpty() && attended == 0 && ATTENDED.compareAndSet(this, 0, 1)) {
                    try {
                        left = handle(own, left);
                    } finally {
                        attended = 0; // a field, which takes no stack: there may be none left
                    }
                }
            } finally {
                if (!waits) {
                    run(own, turn);
                }
            }
        } while (left == 0); // there may be more, unless another thread has gone on with them
    }

    /** Handles events, as many as are left to this thread, and returns how many are left then. */
    private int handle(Queue<LongConsumer> own, int most) {
        effects = own;
        int left = most;
        for (LongConsumer event = events.poll(); event != null; event = --left > 0 ? events.poll() : null) {
            handle(event);
        }
        handle(settle);
        return left;
    }

    /** Runs effects, and those that they leave. */
    private void run(Queue<LongConsumer> own, Turn turn) {
        Queue<LongConsumer> outer = turn.innermost;
        turn.innermost = own;
        turn.depth++;
        try {
            for (LongConsumer effect = own.poll(); effect != null; effect = own.poll()) {
                handle(effect);
            }
        } finally {
            turn.depth--;
            turn.innermost = outer;
        }
    }

    private void handle(LongConsumer event) {
        try {
            event.accept(System.nanoTime());
        } catch (Throwable e) { // a fault of ours; others' events must be handled all the same
            try {
                LOG.error("Paritas: the front end of the model {} has a fault", owner, e);
            } catch (Throwable ignored) {
                // A heap that is full has no room for a log line, nor has a stack.
            }
        }
    }

    /** Notes an effect of the event that is being handled. */
    void effect(Runnable effect) {
        effects.add(now -> effect.run());
    }

    /** The answer to a question, after all events that were posted before. Neither an event nor the end of one may ask. */
    <T> T ask(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        post(now -> {
            try {
                answer.complete(question.get());
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        return answer.join();
    }
}
