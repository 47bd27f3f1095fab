/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.job.DaemonThreads;
import java.lang.ref.WeakReference;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerBlockManagerRemoved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds lost units in the background, a few stripes at a time, each once a round: stripes that cannot be repaired keep no
 * others waiting. Spark's listeners report lost executors but may miss one, so it also looks from time to time. Reading does
 * not depend on it.
 */
final class Repairer {
    private static final Logger LOG = LoggerFactory.getLogger(Repairer.class);

    /** Stripes that a job repairs at most; the limit of bytes per second is kept between jobs. */
    private static final int BATCH = 16;

    private static final Map<SparkContext, Repairer> REPAIRERS = new WeakHashMap<>();

    private final StoreSettings settings;
    private final List<WeakReference<ErasureCodedStore<?>>> watched = new CopyOnWriteArrayList<>();
    private final AtomicLong repaired = new AtomicLong();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("paritas-repair"));

    @SuppressWarnings("FutureReturnValueIgnored")
    private Repairer(SparkContext context, StoreSettings settings) {
        this.settings = settings;
        if (!settings.repair()) {
            return;
        }
        context.addSparkListener(new SparkListener() {
            @Override
            public void onBlockManagerRemoved(SparkListenerBlockManagerRemoved removed) {
                schedule(settings.repairDelay().toMillis());
            }

            @Override
            public void onApplicationEnd(SparkListenerApplicationEnd end) {
                thread.shutdownNow();
            }
        });
        thread.scheduleWithFixedDelay(
                this::repairAll,
                settings.repairInterval().toMillis(),
                settings.repairInterval().toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** Returns the repairer of an application. The settings of the first call hold. */
    static Repairer of(SparkContext context, StoreSettings settings) {
        synchronized (REPAIRERS) {
            return REPAIRERS.computeIfAbsent(context, unknown -> new Repairer(context, settings));
        }
    }

    /** The repairer of an application, if it keeps anything. */
    static Optional<Repairer> known(SparkContext context) {
        synchronized (REPAIRERS) {
            return Optional.ofNullable(REPAIRERS.get(context));
        }
    }

    /** What is kept now. */
    List<ErasureCodedStore<?>> stores() {
        return watched.stream()
                .<ErasureCodedStore<?>>map(WeakReference::get)
                .filter(store -> store != null && !store.isClosed())
                .toList();
    }

    /** Bytes that were rebuilt or moved since the application started. */
    long repairedBytes() {
        return repaired.get();
    }

    /** How many rows it watches, with those that were dropped since the last look. */
    int watched() {
        return watched.size();
    }

    void watch(ErasureCodedStore<?> store) {
        if (!settings.repair()) {
            forgetDropped();
        }
        watched.add(new WeakReference<>(store));
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void schedule(long delayMillis) {
        try {
            thread.schedule(this::repairAll, delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the application has ended: nothing is repaired");
        }
    }

    /** Repairs all that is kept, as far as that can be done now: one round. */
    void repairAll() {
        stores().forEach(this::repair);
        forgetDropped();
    }

    /** Drops once more what was dropped: an executor may have stored a unit after that, as one that was frozen. */
    private void forgetDropped() {
        Set<ErasureCodedStore<?>> dropped = watched.stream()
                .<ErasureCodedStore<?>>map(WeakReference::get)
                .filter(store -> store != null && store.isClosed())
                .collect(Collectors.toSet());
        dropped.forEach(Repairer::dropAgain);
        watched.removeIf(reference -> {
            ErasureCodedStore<?> store = reference.get();
            return store == null || dropped.contains(store);
        });
    }

    private static void dropAgain(ErasureCodedStore<?> store) {
        try {
            store.dropInBackground();
        } catch (Throwable e) {
            // Spark throws checked ones that it does not declare, and none may end the rounds of all stores.
            LOG.info("{} is not dropped once more: {}", store.rdd().name(), e.toString());
        }
    }

    private void repair(ErasureCodedStore<?> store) {
        try {
            long total = 0;
            long bytes;
            int before;
            Set<Stripe> tried = new HashSet<>();
            do {
                before = tried.size();
                long start = System.nanoTime();
                bytes = store.repairLater(BATCH, tried);
                total += bytes;
                repaired.addAndGet(bytes);
                pause(bytes, start);
            } while (bytes > 0 || tried.size() > before);
            if (total > 0) {
                LOG.info("{}: {} bytes were rebuilt or moved", store.rdd().name(), total);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            // Spark throws checked ones that it does not declare, and none may end the rounds of all stores.
            if (!store.isClosed()) {
                LOG.warn("{} cannot be repaired yet: {}", store.rdd().name(), e.toString());
            }
        }
    }

    private void pause(long bytes, long start) throws InterruptedException {
        if (settings.repairBytesPerSecond() > 0) {
            long nanos = (long) (1e9 * bytes / settings.repairBytesPerSecond()) - (System.nanoTime() - start);
            TimeUnit.NANOSECONDS.sleep(nanos);
        }
    }
}
