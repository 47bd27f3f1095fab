/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * The stages of which a task has had a slot, a bit for each stage of the application, and why the first task of some has failed. Spark tells
 * its listeners so at once; its status store may learn it ten seconds later, with the next heartbeat of an executor. Thread-safe.
 */
final class SeenStages extends SparkListener {
    private static final int MOST_FAILURES = 256;

    private final BitSet started = new BitSet();
    private final Map<Integer, String> failures = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, String> eldest) {
            return size() > MOST_FAILURES;
        }
    };

    @Override
    public synchronized void onTaskStart(SparkListenerTaskStart start) {
        started.set(start.stageId());
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        if (end.reason() instanceof ExceptionFailure failure) {
            failures.putIfAbsent(end.stageId(), said(failure));
        }
    }

    /** Some exceptions, as that of a null pointer in code without debug information, have no message. */
    private static String said(ExceptionFailure failure) {
        return failure.description() == null ? failure.className() : failure.description();
    }

    synchronized boolean hasStarted(int stage) {
        return started.get(stage);
    }

    /** The message of the exception that a task of it has failed with first; its name if it has none. */
    synchronized Optional<String> failure(int stage) {
        return Optional.ofNullable(failures.get(stage));
    }
}
