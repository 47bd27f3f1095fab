/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.transport.SparkTransport;
import io.paritas.spark.ecrm.transport.Transport;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.spark.SparkEnv;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an {@link EventHandler} on a thread of its own and connects it to the network. Time is in milliseconds since an
 * arbitrary origin.
 */
final class EventLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    /** Messages beyond its bounds are dropped, and their senders repeat them. */
    private final EventQueue events = EventQueue.ofThisJvm();

    private final Transport transport;
    private final EventHandler handler;
    private final long pause;
    private final Thread thread;
    /** What has been asked and not answered. */
    private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    /** What has ended the thread, if it was not closed. */
    private volatile Error failure;

    /**
     * Starts the thread.
     *
     * @param name of the thread
     * @param make creates the handler, which sends messages by the loop that it is given
     */
    EventLoop(String name, Timing timing, Function<EventLoop, EventHandler> make) {
        this.transport = SparkTransport.of(SparkEnv.get(), this::receive, this::gone);
        this.pause = Math.max(1, timing.retry() / 4);
        this.handler = make.apply(this);
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the time. */
    static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Returns host and port at which others reach this loop. */
    String endpoint() {
        return transport.endpoint();
    }

    private void receive(Envelope envelope, int bytes) {
        if (!events.offer(() -> handler.receive(envelope, now()), bytes)) {
            LOG.debug("dropped a message, because messages of {} bytes wait", events.bytes());
        }
    }

    private void gone(Address address) {
        if (!events.offer(() -> handler.gone(address, now()), 0)) {
            LOG.debug("dropped the end of the connection of {}, because too many events wait", address);
        }
    }

    /** Sends a message. To be called on the thread of the loop. */
    void send(Envelope envelope) {
        transport.send(envelope, handler.endpoint(envelope.to()));
    }

    /** Runs an action on the thread of the loop. Blocks while too many events wait. */
    void execute(Runnable event) throws InterruptedException {
        events.put(event);
    }

    /**
     * Asks on the thread of the loop. Blocks while too many events wait.
     *
     * @param question completes the answer, at once or later
     * @return the answer, which fails if the question throws, or the loop is closed before it is complete, or ends by an error
     */
    <T> CompletableFuture<T> ask(Consumer<CompletableFuture<T>> question) throws InterruptedException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        open.add(answer);
        var unused = answer.whenComplete((value, failure) -> open.remove(answer));
        if (!closed) {
            execute(() -> {
                try {
                    question.accept(answer);
                } catch (Exception e) { // Spark throws checked ones that it does not declare.
                    if (e instanceof InterruptedException) { // the loop is closed: so is what it was asked
                        throw e;
                    }
                    answer.completeExceptionally(e);
                }
            });
        }
        if (closed) {
            refuse(answer);
        }
        return answer;
    }

    private void refuse(CompletableFuture<?> answer) {
        answer.completeExceptionally(
                failure == null
                        ? new IllegalStateException(thread.getName()
                                + " must not be closed before it has answered: close it after the last call")
                        : ended());
    }

    private IllegalStateException ended() {
        return new IllegalStateException(thread.getName() + " has ended: " + failure, failure);
    }

    /** @throws IllegalStateException if an error has ended the thread: nothing is handled any more */
    void requireNoFailure() {
        if (failure != null) {
            throw ended();
        }
    }

    private void run() {
        try {
            handle();
        } catch (Error e) {
            LOG.error("{} ends: what is asked of it fails", thread.getName(), e);
            failure = e;
            throw e;
        } finally {
            closed = true;
            try {
                handler.closed();
            } finally {
                open.forEach(this::refuse);
            }
        }
    }

    private void handle() {
        long ticked = now();
        while (!closed) {
            try {
                events.run(Math.max(0, Math.min(ticked + pause, handler.due()) - now()));
                if (now() >= Math.min(ticked + pause, handler.due())) {
                    ticked = now();
                    handler.tick(ticked);
                }
            } catch (InterruptedException e) {
                closed = true;
            } catch (Exception e) { // Spark throws checked ones that it does not declare, and none may end the thread.
                LOG.error("failed to handle an event: it is dropped", e);
            }
        }
    }

    /** Returns when the thread has ended, even if that of the caller is interrupted: nothing happens afterwards. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        transport.close();
    }
}
