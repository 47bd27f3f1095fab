/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.plugin.Component;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What executors and the driver say to each other about coded shuffles, and the metrics {@code shuffle.*}. */
public final class ShuffleComponent implements Component {
    private static final Logger LOG = LoggerFactory.getLogger(ShuffleComponent.class);

    /** Messages are arrays of the JDK's types that begin with one of these words. */
    static final String GROUP = "group";

    static final String DONE = "done";
    static final String FAILED = "failed";

    @Override
    public String name() {
        return "shuffle";
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

    private static final class Driver implements DriverPlugin {
        private ShuffleCoding coding;

        @Override
        public Map<String, String> init(SparkContext spark, PluginContext context) {
            SparkConf conf = spark.conf();
            if (isWanted(conf)) {
                ShuffleSettings settings = ShuffleSettings.of(conf);
                Obstacles.of(conf)
                        .ifPresentOrElse(
                                obstacle -> LOG.warn("shuffles are not coded: {}", obstacle),
                                () -> start(conf, settings));
            }
            return Map.of();
        }

        private void start(SparkConf conf, ShuffleSettings settings) {
            // Such reads do not pass our client: one that fails would fail the stage.
            conf.set(Obstacles.HOST_LOCAL, "false");
            coding = new ShuffleCoding(settings);
            ShuffleCoding.start(coding);
        }

        @Override
        public void registerMetrics(String application, PluginContext context) {
            if (coding != null) {
                ShuffleTotals.registerDriver(context.metricRegistry(), coding);
            }
        }

        @Override
        public Object receive(Object message) {
            Object[] words = (Object[]) message;
            int shuffle = (Integer) words[1];
            long file = (Long) words[2];
            if (coding == null) {
                return null;
            }
            switch ((String) words[0]) {
                case GROUP -> {
                    return coding.group(shuffle, file);
                }
                case DONE -> coding.done(shuffle, file, (long[]) words[3]);
                case FAILED -> coding.failed(shuffle, file, (String) words[3]);
                default ->
                    throw new IllegalArgumentException(
                            "a message must begin with group, done or failed, got " + words[0]);
            }
            return null;
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
