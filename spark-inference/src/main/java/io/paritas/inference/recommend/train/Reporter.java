/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Iteration;
import io.paritas.spark.ecrm.protocol.ProgressMessage.Known;
import io.paritas.spark.ecrm.protocol.ProgressMessage.Trained;
import io.paritas.spark.ecrm.transport.SparkTransport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;

/**
 * Reports committed iterations of a worker to the driver, and repeats them until the driver confirms. It never blocks the worker,
 * except at the end, for 10 seconds at most. For one thread besides those of the transport.
 */
final class Reporter implements AutoCloseable {
    /** Limit of iterations in a message. */
    private static final int MOST = 256;

    private static final long LAST_WAIT_SECONDS = 10;
    private static final long RETRY_MILLIS = 50;

    private final Address self;
    private final String driver;
    private final SparkTransport transport;
    private final Deque<Iteration> unknown = new ArrayDeque<>();
    private int next;

    Reporter(int worker, String driver) {
        this.self = Address.worker(worker);
        this.driver = driver;
        this.transport = SparkTransport.of(SparkEnv.get(), (envelope, bytes) -> receive(envelope), gone -> {});
    }

    private synchronized void receive(Envelope envelope) {
        if (envelope.message() instanceof Known known) {
            unknown.removeIf(iteration -> iteration.number() < known.iterations());
            notifyAll();
        }
    }

    synchronized void report(int samples, float loss, int tries, long pull, long compute, long commit, int[] updated) {
        unknown.add(new Iteration(next++, samples, loss, tries, pull, compute, commit, updated));
        send();
    }

    private void send() {
        List<Iteration> first = unknown.stream().limit(MOST).toList();
        transport.send(new Envelope(self, Address.DRIVER, 0, new Trained(first)), driver);
    }

    @Override
    public void close() {
        try {
            awaitKnown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // Without the lock, for which threads of the transport may wait.
            transport.close();
        }
    }

    private synchronized void awaitKnown() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LAST_WAIT_SECONDS);
        while (!unknown.isEmpty() && System.nanoTime() < end) {
            send();
            wait(RETRY_MILLIS);
        }
    }
}
