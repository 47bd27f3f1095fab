/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.it.Await;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/** What Spark is told of the checks of each task: its page of a query shows the same. */
final class FoundFaults extends SparkListener implements AutoCloseable {
    private final SparkContext context;
    private final List<Task> tasks = new CopyOnWriteArrayList<>();

    /**
     * An attempt that has ended.
     *
     * @param executor that ran it
     * @param failure why it failed; empty if it did not
     */
    record Task(String executor, long checks, long detections, long recomputations, String failure) {}

    private FoundFaults(SparkContext context) {
        this.context = context;
    }

    /** Listens to what is run from now on, until it is closed. */
    static FoundFaults listen(SparkSession session) throws TimeoutException {
        FoundFaults faults = new FoundFaults(session.sparkContext());
        faults.context.listenerBus().waitUntilEmpty();
        faults.context.addSparkListener(faults);
        return faults;
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd end) {
        Map<String, Long> counts = CollectionConverters.asJava(end.taskInfo().accumulables()).stream()
                .filter(each -> each.name().isDefined() && each.update().isDefined())
                .filter(each -> each.update().get() instanceof Long)
                .collect(Collectors.toMap(each -> each.name().get(), FoundFaults::count, Long::sum));
        tasks.add(new Task(
                end.taskInfo().executorId(),
                counts.getOrDefault("checks of computed values", 0L),
                counts.getOrDefault("layers with wrong values", 0L),
                counts.getOrDefault("layers computed once more", 0L),
                end.reason() instanceof ExceptionFailure failure ? failure.toErrorString() : ""));
    }

    private static long count(AccumulableInfo metric) {
        return (Long) metric.update().get();
    }

    /** The attempts, when there are that many that did not fail. */
    List<Task> await(int succeeded) throws Exception {
        Await.until(
                succeeded + " tasks have ended",
                () -> tasks.stream().filter(task -> task.failure.isEmpty()).count() >= succeeded,
                () -> tasks);
        return List.copyOf(tasks);
    }

    @Override
    public void close() {
        context.removeSparkListener(this);
    }
}
