/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.job.DaemonThreads;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.apache.spark.network.shuffle.BlockFetchingListener;

/**
 * Fetches that begin on threads of their own: who connects to a host that is down waits for {@code spark.network.timeout}. Those from one
 * address begin one after the other, as they would wait for the same connection, so each host that is down keeps one thread.
 */
final class Fetches {
    static final int MOST_THREADS = 256;

    private static final Executor THREADS = new Threads();

    /** The last fetch from each address; none where all have begun. */
    private static final ConcurrentMap<Address, CompletableFuture<Void>> LAST = new ConcurrentHashMap<>();

    /** Where an executor, or a service of its host, serves blocks. */
    record Address(String host, int port) {}

    private Fetches() {}

    /** Starts threads when all others are busy, up to a number: further tasks wait. */
    private static final class Threads implements Executor {
        private final Executor threads = Executors.newCachedThreadPool(DaemonThreads.named("paritas-shuffle-fetch"));
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private int busy;

        @Override
        public synchronized void execute(Runnable task) {
            if (busy == MOST_THREADS) {
                waiting.add(task);
            } else {
                threads.execute(() -> run(task));
                busy++;
            }
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

    /**
     * Begins a fetch, and returns at once.
     *
     * @param ids blocks that cannot be fetched if it fails to begin
     */
    static void begin(Address address, String[] ids, BlockFetchingListener listener, Runnable fetch) {
        CompletableFuture<Void> begun = LAST.compute(
                address, (same, last) -> (last == null ? CompletableFuture.<Void>completedFuture(null) : last)
                        .thenRunAsync(() -> beginNow(ids, listener, fetch), THREADS));
        var unused = begun.thenRun(() -> LAST.remove(address, begun));
    }

    private static void beginNow(String[] ids, BlockFetchingListener listener, Runnable fetch) {
        try {
            fetch.run();
        } catch (Throwable e) { // Nobody else would tell the listener.
            for (String id : ids) {
                listener.onBlockFetchFailure(id, e);
            }
        }
    }
}
