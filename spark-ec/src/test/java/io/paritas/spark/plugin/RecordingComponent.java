/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import com.codahale.metrics.Gauge;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** A component of the tests. Records its calls. It sends no message by itself. */
public final class RecordingComponent implements Component {
    public static final List<String> CALLS = new CopyOnWriteArrayList<>();

    /** Until it is open, the driver answers nothing. */
    private static volatile CountDownLatch answering = new CountDownLatch(0);

    /** The context of the executor side that started last. */
    private static volatile PluginContext executor;

    /** Lets the driver answer only from a moment on. */
    static void answerFrom(CountDownLatch moment) {
        answering = moment;
    }

    public static PluginContext executor() {
        return executor;
    }

    @Override
    public String name() {
        return "recording";
    }

    @Override
    public DriverPlugin driverSide() {
        return new DriverPlugin() {
            @Override
            public Map<String, String> init(SparkContext spark, PluginContext context) {
                CALLS.add("driver starts");
                return Map.of("colour", "green");
            }

            @Override
            public void registerMetrics(String application, PluginContext context) {
                context.metricRegistry().register("recorded", (Gauge<Integer>) CALLS::size);
                CALLS.add("driver metrics");
            }

            @Override
            public Object receive(Object message) throws InterruptedException {
                answering.await();
                CALLS.add("driver hears " + message);
                return message + ", heard";
            }

            @Override
            public void shutdown() {
                CALLS.add("driver ends");
            }
        };
    }

    @Override
    public ExecutorPlugin executorSide() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext context, Map<String, String> fromDriver) {
                CALLS.add("executor starts with " + fromDriver);
                executor = context;
            }

            @Override
            public void onTaskStart() {
                CALLS.add("task starts");
            }

            @Override
            public void onTaskSucceeded() {
                CALLS.add("task succeeds");
            }

            @Override
            public void onTaskFailed(TaskFailedReason reason) {
                CALLS.add("task fails");
            }

            @Override
            public void shutdown() {
                CALLS.add("executor ends");
            }
        };
    }
}
