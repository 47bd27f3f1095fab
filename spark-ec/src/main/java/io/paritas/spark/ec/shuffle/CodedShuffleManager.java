/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.PublicApi;
import io.paritas.spark.ParitasPlugin;
import org.apache.spark.MapOutputTracker;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's sort shuffle, whose map outputs survive executors: {@code
 * spark.shuffle.manager=io.paritas.spark.ec.shuffle.CodedShuffleManager}, beside {@code
 * spark.plugins=io.paritas.spark.ParitasPlugin}. Without the plugin, it is Spark's sort shuffle. Thread-safe.
 */
@PublicApi
public final class CodedShuffleManager extends SortShuffleManager {
    private static final Logger LOG = LoggerFactory.getLogger(CodedShuffleManager.class);

    private static final String PLUGINS = "spark.plugins";

    private final IndexShuffleBlockResolver resolver;

    /** Creates the manager of an executor or of the driver; Spark does so by name. */
    public CodedShuffleManager(SparkConf conf) {
        super(conf);
        IndexShuffleBlockResolver sparks = super.shuffleBlockResolver();
        this.resolver =
                Obstacles.of(conf).isEmpty() ? new CodedBlockResolver(conf, sparks.taskIdMapsForShuffle()) : sparks;
        String plugins = conf.get(PLUGINS, "") + conf.get(PLUGINS + ".defaultList", "");
        if (!plugins.contains(ParitasPlugin.class.getName())) {
            LOG.warn(
                    "shuffles are not coded: {} must have {}, got '{}'",
                    PLUGINS,
                    ParitasPlugin.class.getName(),
                    plugins);
        }
    }

    @Override
    public IndexShuffleBlockResolver shuffleBlockResolver() {
        return resolver == null ? super.shuffleBlockResolver() : resolver;
    }

    @Override
    public <K, V, C> ShuffleHandle registerShuffle(int shuffle, ShuffleDependency<K, V, C> dependency) {
        if (shuffle < RequestId.SHUFFLES) {
            ShuffleCoding.current().ifPresent(coding -> register(coding, shuffle, dependency));
        }
        return super.registerShuffle(shuffle, dependency);
    }

    private static void register(ShuffleCoding coding, int shuffle, ShuffleDependency<?, ?, ?> dependency) {
        int maps = dependency.rdd().partitions().length;
        int partitions = dependency.partitioner().numPartitions();
        // The scheduler registers only shuffles that the tracker does not know.
        ShuffleCoding.tracker().shuffleStatuses().put(shuffle, coding.register(shuffle, maps, partitions));
    }

    @Override
    public <K, C> ShuffleReader<K, C> getReader(
            ShuffleHandle handle,
            int startMap,
            int endMap,
            int startPartition,
            int endPartition,
            TaskContext context,
            ShuffleReadMetricsReporter metrics) {
        return ShuffleExecutor.current()
                .<ShuffleReader<K, C>>map(executor -> {
                    MapOutputTracker tracker = SparkEnv.get().mapOutputTracker();
                    return new CodedShuffleReader<>(
                            dependency(handle),
                            tracker.getMapSizesByExecutorId(
                                    handle.shuffleId(), startMap, endMap, startPartition, endPartition),
                            context,
                            metrics,
                            executor,
                            SortShuffleManager.canUseBatchFetch(startPartition, endPartition, context)
                                    ? CodedShuffleReader.Batches.ALLOWED
                                    : CodedShuffleReader.Batches.FORBIDDEN);
                })
                .orElseGet(() ->
                        super.getReader(handle, startMap, endMap, startPartition, endPartition, context, metrics));
    }

    @SuppressWarnings("unchecked")
    private static <K, C> ShuffleDependency<K, ?, C> dependency(ShuffleHandle handle) {
        return ((BaseShuffleHandle<K, ?, C>) handle).dependency();
    }

    @Override
    public boolean unregisterShuffle(int shuffle) {
        ShuffleCoding.current().ifPresent(coding -> coding.unregister(shuffle));
        if (resolver instanceof CodedBlockResolver coded) {
            coded.removeParity(shuffle);
        }
        return super.unregisterShuffle(shuffle);
    }
}
