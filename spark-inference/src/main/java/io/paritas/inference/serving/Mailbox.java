/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of something that is not thread-safe, one after the other, without a lock and without a thread: who posts an event and
 * finds nobody at the mailbox handles all that is there, and the others go on at once. So threads that carry requests and answers never
 * wait for each other, not even for one that the operating system has stopped. Effects of events run when the mailbox is empty and
 * free for others, so no event waits for a codec or a socket. Thread-safe.
 *
 * <p>An effect may post the next event: an instance that answers at once does so with each of its batches. What follows runs within that
 * effect, but for the innermost of many, whose own effects wait until it has returned: the stack stays short.
 */
final class Mailbox {
    private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);

    /* So many effects may run within each other. */
    private static final int DEPTH = 16;

    private static final ThreadLocal<Turn> TURNS = ThreadLocal.withInitial(Turn::new);

    private final Object owner;
    private final LongConsumer settle;
    private final Queue<LongConsumer> events = new ConcurrentLinkedQueue<>();
    /* How many there are; who raises it from 0 handles them. */
    private final AtomicInteger count = new AtomicInteger();
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
     * Handles an event, now or as soon as the thread that is at the mailbox comes to it. That thread is soon free, because an event is
     * short, and a thread whose events it handles has effects to run before it posts another.
     *
     * @param event takes the time in nanoseconds
     */
    void post(LongConsumer event) {
        Turn turn = TURNS.get();
        Queue<LongConsumer> own = turn.depth < DEPTH ? new ArrayDeque<>() : turn.innermost;
        events.add(event);
        if (count.getAndIncrement() > 0) {
            return;
        }
        /* Nothing here takes memory or throws: with a count above 0 and nobody at the mailbox, no event would be handled any more. */
        effects = own;
        int round = 1;
        do {
            for (int i = 0; i < round; i++) {
                handle(events.remove());
            }
            handle(settle);
            round = count.addAndGet(-round);
        } while (round > 0);
        if (own != turn.innermost) {
            run(own, turn);
        }
    }

    /** Runs effects, and those that they leave. */
    private void run(Queue<LongConsumer> own, Turn turn) {
        Queue<LongConsumer> outer = turn.innermost;
        turn.innermost = own;
        turn.depth++;
        for (LongConsumer effect = own.poll(); effect != null; effect = own.poll()) {
            handle(effect);
        }
        turn.depth--;
        turn.innermost = outer;
    }

    private void handle(LongConsumer event) {
        try {
            event.accept(System.nanoTime());
        } catch (Throwable e) { // a fault of ours; others' events must be handled all the same
            report(e);
        }
    }

    private void report(Throwable fault) {
        try {
            LOG.error("Paritas: the front end of the model {} has a fault", owner, fault);
        } catch (Throwable ignored) {
            // A heap that is full has no room for a log line, either.
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
