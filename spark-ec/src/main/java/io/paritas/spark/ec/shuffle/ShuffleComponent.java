/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.settings.SettingGroup;
import io.paritas.spark.plugin.Component;
import io.paritas.spark.plugin.Report;
import io.paritas.spark.plugin.Reporting;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;

/** What executors and the driver say to each other about coded shuffles, and the metrics {@code shuffle.*}. */
public final class ShuffleComponent implements Component {
    private static final Logger LOG = LoggerFactory.getLogger(ShuffleComponent.class);

    @Override
    public String name() {
        return "shuffle";
    }

    @Override
    public List<SettingGroup> settings() {
        return List.of(ShuffleSettings.GROUP);
    }

    @Override
    public DriverPlugin driverSide() {
        return new Driver();
    }

    @Override
    public ExecutorPlugin executorSide() {
        return new Executor();
    }

    private static boolean isWanted(SparkConf conf) {
        return conf.get("spark.shuffle.manager", "").equals(CodedShuffleManager.class.getName());
    }

    private static final class Driver implements Reporting {
        private ShuffleCoding coding;
        private StageReads reads;

        @Override
        public Map<String, String> init(SparkContext spark, PluginContext context) {
            SparkConf conf = spark.conf();
            if (isWanted(conf)) {
                ShuffleSettings settings = ShuffleSettings.of(conf);
                Obstacles.of(conf)
                        .ifPresentOrElse(
                                obstacle -> LOG.warn("shuffles are not coded: {}", obstacle),
                                () -> start(spark, settings));
            }
            return Map.of();
        }

        private void start(SparkContext spark, ShuffleSettings settings) {
            // Such reads do not pass our client: one that fails would fail the stage.
            spark.conf().set(Obstacles.HOST_LOCAL, "false");
            spark.conf().set(Obstacles.STORAGE, CodedShuffleDataIO.class.getName());
            reads = new StageReads(spark);
            coding = new ShuffleCoding(settings, idleExecutors(spark, settings), executors -> gone(spark, executors));
            spark.addSparkListener(new StageCosts(coding::computed, coding::isUncoded));
            // In a queue of its own: it waits for no other listener.
            spark.listenerBus()
                    .addToQueue(
                            new SparkListener() {
                                @Override
                                public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                                    coding.executorLost(removed.executorId());
                                }
                            },
                            "paritas-shuffle");
            ShuffleCoding.start(coding);
        }

        /** Those of some executors that the scheduler does not know any more. In local mode, there is one that stays. */
        private static Set<String> gone(SparkContext spark, Set<String> executors) {
            if (!(spark.schedulerBackend() instanceof ExecutorAllocationClient scheduler)) {
                return Set.of();
            }
            Set<String> known = Set.copyOf(CollectionConverters.asJava(scheduler.getExecutorIds()));
            return executors.stream()
                    .filter(executor -> !known.contains(executor))
                    .collect(Collectors.toSet());
        }

        private static Optional<IdleExecutors> idleExecutors(SparkContext spark, ShuffleSettings settings) {
            if (!spark.conf().getBoolean("spark.dynamicAllocation.enabled", false)) {
                return Optional.empty();
            }
            IdleExecutors idle = new IdleExecutors(spark, settings.code().tolerated());
            // Otherwise Spark keeps no executor for shuffles, and its monitor has no room to note them.
            if (spark.conf().getBoolean("spark.dynamicAllocation.shuffleTracking.enabled", true)) {
                spark.listenerBus().addToManagementQueue(idle);
            }
            return Optional.of(idle);
        }

        @Override
        public void registerMetrics(String application, PluginContext context) {
            if (coding != null) {
                ShuffleTotals.registerDriver(context.metricRegistry(), coding);
            }
        }

        @Override
        public List<Report> reports() {
            return coding == null
                    ? List.of()
                    : List.of(
                            coding.report(),
                            new Report(
                                    "Stages that decoded shuffle blocks",
                                    List.of("Stage", "Blocks decoded", "Bytes decoded"),
                                    reads.rows()));
        }

        @Override
        public Object receive(Object message) {
            return coding == null ? null : ShuffleMessage.receive((Object[]) message, coding, reads);
        }

        @Override
        public void shutdown() {
            if (coding != null) {
                coding.close();
            }
        }
    }

    private static final class Executor implements ExecutorPlugin {
        private ShuffleExecutor shuffles;

        @Override
        public void init(PluginContext context, Map<String, String> fromDriver) {
            if (isWanted(context.conf()) && Obstacles.of(context.conf()).isEmpty()) {
                ShuffleTotals.registerExecutor(context.metricRegistry());
                shuffles = new ShuffleExecutor(ShuffleSettings.of(context.conf()), context);
                ShuffleExecutor.start(shuffles);
                shuffles.tellStarted(context.executorID());
            }
        }

        @Override
        public void shutdown() {
            if (shuffles != null) {
                shuffles.close();
            }
        }
    }
}
