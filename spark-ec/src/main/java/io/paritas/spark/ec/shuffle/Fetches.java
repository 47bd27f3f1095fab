/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.job.DaemonThreads;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches that begin on threads of their own: who connects to a host that is down waits for {@code spark.network.timeout}. Those from one
 * address begin one after the other, as they would wait for the same connection, so each host that is down keeps one thread.
 */
final class Fetches {
    static final int MOST_THREADS = 256;

    /** Of this JVM. */
    static final Fetches SHARED = new Fetches(new Threads());

    private static final Logger LOG = LoggerFactory.getLogger(Fetches.class);

    private final Executor threads;
    /** What waits for the fetch that begins from the same address; an address is there while one does. */
    private final Map<Address, Queue<Fetch>> waiting = new HashMap<>();

    /** @param threads begins the first fetch from an address, and those that have come meanwhile */
    Fetches(Executor threads) {
        this.threads = threads;
    }

    /** Starts threads when all others are busy, up to a number: further tasks wait. So they do where no more threads can be had. */
    private static final class Threads implements Executor {
        private final Executor threads = Executors.newCachedThreadPool(DaemonThreads.named("paritas-shuffle-fetch"));
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private int busy;

        @Override
        public synchronized void execute(Runnable task) {
            if (busy < MOST_THREADS) {
                try {
                    threads.execute(() -> run(task));
                    busy++;
                    return;
                } catch (OutOfMemoryError e) {
                    if (busy == 0) {
                        throw e;
                    }
                }
            }
            waiting.add(task);
        }

        private void run(Runnable first) {
            for (Runnable task = first; task != null; task = next()) {
                task.run();
            }
        }

        private synchronized Runnable next() {
            Runnable next = waiting.poll();
            if (next == null) {
                busy--;
            }
            return next;
        }
    }

    /** Where an executor, or a service of its host, serves blocks. */
    record Address(String host, int port) {}

    /** @param ids blocks that cannot be fetched if it fails to begin */
    private record Fetch(String[] ids, BlockFetchingListener listener, Runnable start) {
        void begin() {
            try {
                start.run();
            } catch (Throwable e) { // nobody else would tell the listener
                fail(e);
            }
        }

        void fail(Throwable reason) {
            for (String id : ids) {
                try {
                    listener.onBlockFetchFailure(id, reason);
                } catch (RuntimeException | Error e) { // the others are to hear of it, too
                    LOG.warn("Whoever reads {} could not be told that it cannot be fetched", id, e);
                }
            }
        }
    }

    /**
     * Begins a fetch, and returns at once. Where no thread can start, the fetch has failed.
     *
     * @param ids blocks that cannot be fetched if it fails to begin
     */
    void begin(Address address, String[] ids, BlockFetchingListener listener, Runnable start) {
        Fetch fetch = new Fetch(ids, listener, start);
        if (waits(address, fetch)) {
            return;
        }
        try {
            threads.execute(() -> {
                for (Fetch each = fetch; each != null; each = next(address)) {
                    each.begin();
                }
            });
        } catch (RuntimeException | Error e) {
            // Spark ends an executor whose task fails by an OutOfMemoryError, also where that is a cause.
            Throwable reason = e instanceof OutOfMemoryError ? new IOException(e.getMessage()) : e;
            for (Fetch each = fetch; each != null; each = next(address)) {
                each.fail(reason);
            }
        }
    }

    private synchronized boolean waits(Address address, Fetch fetch) {
        Queue<Fetch> others = waiting.putIfAbsent(address, new ArrayDeque<>());
        return others != null && others.add(fetch);
    }

    private synchronized Fetch next(Address address) {
        Fetch next = waiting.get(address).poll();
        if (next == null) {
            waiting.remove(address);
        }
        return next;
    }
}
