/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.transport.SparkTransport;
import io.paritas.spark.ecrm.transport.Transport;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.spark.SparkEnv;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a {@link Machine} on one thread, and connects it to the network. Time is in milliseconds, from some beginning. */
final class EventLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    /** Messages that may wait; more are dropped, and asked for again. */
    private static final int MOST_WAITING = 100_000;

    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>(MOST_WAITING);
    private final Transport transport;
    private final Machine machine;
    private final long pause;
    private final Thread thread;
    private volatile boolean closed;

    /** Gets the loop, to send by it. */
    EventLoop(String name, Timing timing, Function<EventLoop, Machine> make) {
        SparkEnv env = SparkEnv.get();
        this.transport = new SparkTransport(
                env.conf(),
                env.securityManager(),
                env.blockManager().blockManagerId().host(),
                this::receive,
                this::gone);
        this.pause = Math.max(1, timing.retry() / 4);
        this.machine = make.apply(this);
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    String endpoint() {
        return transport.endpoint();
    }

    private void receive(Envelope envelope) {
        if (!events.offer(() -> machine.receive(envelope, now()))) {
            LOG.debug("Dropped a message, because {} wait", MOST_WAITING);
        }
    }

    private void gone(Address address) {
        if (!events.offer(() -> machine.gone(address, now()))) {
            LOG.debug("Nobody noticed that {} is gone", address);
        }
    }

    /** Only on the thread of the loop. */
    void send(Envelope envelope) {
        transport.send(envelope, machine.endpoint(envelope.to()));
    }

    /** Has something done on the thread of the loop; waits while too much is to be done. */
    void execute(Runnable event) throws InterruptedException {
        events.put(event);
    }

    private void run() {
        long ticked = now();
        while (!closed) {
            try {
                Runnable event = events.poll(Math.max(0, ticked + pause - now()), TimeUnit.MILLISECONDS);
                if (event != null) {
                    event.run();
                }
                if (now() - ticked >= pause) {
                    ticked = now();
                    machine.tick(ticked);
                }
            } catch (InterruptedException e) {
                closed = true;
            } catch (RuntimeException e) {
                LOG.error("Failed at a message, and goes on", e);
            }
        }
        machine.closed();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        transport.close();
    }
}
