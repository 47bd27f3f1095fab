/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerBlockManagerRemoved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes again what executors took along, in the background, a few stripes at a time. That an executor is gone it hears from
 * Spark's listeners, which may miss it: so it also looks from time to time. Reading is right without it.
 */
final class Repairer {
    private static final Logger LOG = LoggerFactory.getLogger(Repairer.class);

    /** Stripes of a job: what a limit on the bytes of a second is kept with. */
    private static final int BATCH = 16;

    private static final Map<SparkContext, Repairer> REPAIRERS = new WeakHashMap<>();

    private final Terms terms;
    private final List<WeakReference<Protection<?>>> watched = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread repair = new Thread(task, "paritas-repair");
        repair.setDaemon(true);
        return repair;
    });

    @SuppressWarnings("FutureReturnValueIgnored")
    private Repairer(SparkContext context, Terms terms) {
        this.terms = terms;
        if (!terms.repair()) {
            return;
        }
        context.addSparkListener(new SparkListener() {
            @Override
            public void onBlockManagerRemoved(SparkListenerBlockManagerRemoved removed) {
                schedule(terms.repairDelay().toMillis());
            }

            @Override
            public void onApplicationEnd(SparkListenerApplicationEnd end) {
                thread.shutdownNow();
            }
        });
        thread.scheduleWithFixedDelay(
                this::repairAll,
                terms.repairInterval().toMillis(),
                terms.repairInterval().toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** The one of an application; the terms of its first use are its terms. */
    static Repairer of(SparkContext context, Terms terms) {
        synchronized (REPAIRERS) {
            return REPAIRERS.computeIfAbsent(context, unknown -> new Repairer(context, terms));
        }
    }

    void watch(Protection<?> protection) {
        watched.add(new WeakReference<>(protection));
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void schedule(long delayMillis) {
        thread.schedule(this::repairAll, delayMillis, TimeUnit.MILLISECONDS);
    }

    private void repairAll() {
        watched.stream().map(WeakReference::get).filter(Objects::nonNull).forEach(this::repair);
        watched.removeIf(reference -> reference.get() == null || reference.get().isClosed());
    }

    private void repair(Protection<?> protection) {
        try {
            long total = 0;
            long start = System.nanoTime();
            for (long bytes = protection.repair(BATCH); bytes > 0; bytes = protection.repair(BATCH)) {
                total += bytes;
                pause(bytes, start);
                start = System.nanoTime();
            }
            if (total > 0) {
                LOG.info("{}: {} bytes are made again", protection.rdd().name(), total);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // Spark throws checked ones that it does not declare.
            if (!protection.isClosed()) {
                LOG.warn("{} is not repaired yet: {}", protection.rdd().name(), e.getMessage());
            }
        }
    }

    private void pause(long bytes, long start) throws InterruptedException {
        if (terms.repairBytesPerSecond() > 0) {
            long nanos = (long) (1e9 * bytes / terms.repairBytesPerSecond()) - (System.nanoTime() - start);
            TimeUnit.NANOSECONDS.sleep(nanos);
        }
    }
}
