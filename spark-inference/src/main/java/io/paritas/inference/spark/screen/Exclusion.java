/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.spark.job.DaemonThreads;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.SparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/** Takes executors out of use. Their tasks run again elsewhere. */
final class Exclusion implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Exclusion.class);

    private final SparkContext spark;
    private final Supplier<?> backend;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    /* Spark's call waits for the cluster manager. */
    private final ExecutorService thread = Executors.newSingleThreadExecutor(DaemonThreads.named("paritas-exclusion"));
    private boolean counted;

    Exclusion(SparkContext spark) {
        this(spark, spark::schedulerBackend);
    }

    /** @param backend an {@link ExecutorAllocationClient} if executors can be ended; the context gets it later than its plugins */
    Exclusion(SparkContext spark, Supplier<?> backend) {
        this.spark = spark;
        this.backend = backend;
    }

    /** Whether the executor has not been found out before; from now on it has. */
    boolean isDue(String executor) {
        return known.add(executor);
    }

    /** Whether executors can be ended: they are not the driver. */
    boolean isPossible() {
        return backend.get() instanceof ExecutorAllocationClient;
    }

    /**
     * Ends an executor. With dynamic allocation Spark may start another one, elsewhere or not.
     *
     * @param refused runs if Spark does not end it, and nobody else does
     */
    void exclude(String executor, Runnable refused) {
        end(executor, !spark.conf().getBoolean("spark.dynamicAllocation.enabled", false), refused);
    }

    /** Ends an executor, and has Spark start another one in its place. */
    void replace(String executor) {
        end(executor, false, () -> {});
    }

    private void end(String executor, boolean fewer, Runnable refused) {
        thread.execute(() -> {
            if (!(backend.get() instanceof ExecutorAllocationClient cluster)) {
                // The limit lets it stay: it is the only one.
                LOG.error("Paritas: executor {} cannot be ended, because it runs in the driver", executor);
                return;
            }
            if (fewer && !counted) {
                count(cluster);
            }
            // Spark refuses those, too, that have left, and those that somebody else is ending.
            boolean active = cluster.isExecutorActive(executor);
            if (kill(cluster, executor, fewer)) {
                LOG.error("Paritas: executor {} was ended", executor);
            } else if (active
                    && !thread.isShutdown()
                    && cluster.getExecutorIds().contains(executor)) {
                LOG.error("Paritas: Spark did not end executor {}: end it by hand", executor);
                refused.run();
            } else {
                LOG.info("Paritas: executor {} has ended already, or is ending", executor);
            }
        });
    }

    /** Whether Spark ends an executor. */
    private boolean kill(ExecutorAllocationClient cluster, String executor, boolean fewer) {
        try {
            return CollectionConverters.asJava(cluster.killExecutors(
                            CollectionConverters.asScala(List.of(executor)).toList(), fewer, false, true))
                    .contains(executor);
        } catch (Exception e) {
            // Also checked ones that Spark does not declare, as for an answer that does not come.
            if (!thread.isShutdown()) {
                LOG.warn("Paritas: the cluster manager does not answer whether it ends executor {}", executor, e);
            }
            return false;
        }
    }

    /**
     * Tells Spark how many executors are wanted. Without dynamic allocation nobody has: one fewer than that would be none, and no executor
     * that is lost later would be replaced.
     */
    private void count(ExecutorAllocationClient cluster) {
        try {
            int wanted = Math.max(configured(), cluster.getExecutorIds().size());
            counted = spark.requestTotalExecutors(wanted, 0, Map$.MODULE$.empty());
        } catch (Exception e) {
            // Also checked ones that Spark does not declare. The executor is ended all the same.
            LOG.debug("the cluster manager does not answer", e);
        }
        if (!counted) {
            LOG.warn(
                    "Paritas: Spark was not told how many executors are wanted: it may replace none that is lost from now on");
        }
    }

    /** Standalone clusters take the number for no limit. */
    private int configured() {
        boolean isFixed = spark.master().startsWith("yarn") || spark.master().startsWith("k8s");
        return isFixed ? spark.conf().getInt("spark.executor.instances", 2) : 0;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
