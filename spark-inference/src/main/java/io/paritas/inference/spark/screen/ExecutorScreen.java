/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.exercise.MachineScreen;
import io.paritas.inference.screen.exercise.ProcessorResult;
import io.paritas.inference.screen.exercise.Processors;
import io.paritas.spark.job.ApplicationExecutors;
import io.paritas.spark.job.PlacedTasks;
import io.paritas.spark.job.Serialised;
import java.io.Serializable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.scheduler.ExecutorCacheTaskLocation;
import org.apache.spark.storage.BlockManagerId;

/** Runs the {@link MachineScreen} on every executor of an application, as a job with a task for each of them. */
public final class ExecutorScreen {
    /** Spark may run a task elsewhere than it is asked to; then that executor is tried again. */
    private static final int MOST_TRIES = 10;

    private ExecutorScreen() {}

    /**
     * What came of an executor.
     *
     * @param executor its id
     * @param host its host
     * @param processors a result for each processor that its JVM may use
     */
    public record Screened(String executor, String host, List<ProcessorResult> processors) implements Serializable {
        private static final long serialVersionUID = 1;

        /** Whether a processor was wrong. */
        public boolean isWrong() {
            return processors.stream().anyMatch(processor -> processor.wrong() > 0);
        }
    }

    /**
     * Screens the executors that there are now. Each exercises all processors that its JVM may use, so that nothing else should run.
     * With the plugin, the page Paritas of Spark's UI has the result, too.
     *
     * @param time how long each executor computes
     * @return the executors that were reached, by id; one that is busy for all the time is missing
     */
    public static List<Screened> run(SparkContext spark, Duration time) {
        Map<String, BlockManagerId> left = executors();
        Map<String, Screened> screened = new TreeMap<>();
        for (int attempt = 0; attempt < MOST_TRIES && !left.isEmpty(); attempt++) {
            for (Screened one : visit(spark, List.copyOf(left.values()), time)) {
                screened.put(one.executor(), one);
                left.remove(one.executor());
            }
        }
        List<Screened> all = List.copyOf(screened.values());
        LastExecutorScreen.ended(spark.applicationId(), all);
        return all;
    }

    private static Map<String, BlockManagerId> executors() {
        Map<String, BlockManagerId> executors = new TreeMap<>();
        ApplicationExecutors.allOrDriver().forEach(executor -> executors.put(executor.executorId(), executor));
        return executors;
    }

    private static List<Screened> visit(SparkContext spark, List<BlockManagerId> executors, Duration time) {
        Map<String, List<String>> locations = new LinkedHashMap<>();
        for (BlockManagerId executor : executors) {
            String location = new ExecutorCacheTaskLocation(executor.host(), executor.executorId()).toString();
            locations.put(executor.executorId(), List.of(location));
        }
        return Serialised.collect(
                PlacedTasks.of(spark, locations).map(new Screen(time)).filter(screened -> !screened.processors()
                        .isEmpty()));
    }

    /** Exercises the executor that it was meant for; elsewhere it returns at once, without processors. */
    private record Screen(Duration time) implements Function<String, Screened> {
        private static final long serialVersionUID = 1;

        @Override
        public Screened call(String executor) throws InterruptedException {
            BlockManagerId here = SparkEnv.get().blockManager().blockManagerId();
            List<ProcessorResult> results = here.executorId().equals(executor)
                    ? new MachineScreen().run(Processors.allowed(), time, (wrong, processor) -> {})
                    : List.of();
            return new Screened(here.executorId(), here.host(), results);
        }
    }
}
