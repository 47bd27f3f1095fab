/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import scala.jdk.javaapi.CollectionConverters;

/** The stages that an application has submitted, from some moment on: names such as {@code 4.0}, with the number of the attempt. */
final class StageAttempts extends SparkListener implements AutoCloseable {
    private final SparkContext context;
    private final List<String> submitted = new ArrayList<>();
    private long decoded;

    StageAttempts(SparkContext context) throws TimeoutException {
        this.context = context;
        context.listenerBus().waitUntilEmpty();
        context.addSparkListener(this);
    }

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
        submitted.add(stage.stageInfo().stageId() + "." + stage.stageInfo().attemptNumber());
    }

    List<String> submitted() throws TimeoutException {
        context.listenerBus().waitUntilEmpty();
        synchronized (this) {
            return List.copyOf(submitted);
        }
    }

    /** Those that are not the first attempt. */
    List<String> retried() throws TimeoutException {
        return submitted().stream().filter(stage -> !stage.endsWith(".0")).toList();
    }

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted stage) {
        CollectionConverters.asJava(stage.stageInfo().accumulables()).values().stream()
                .filter(counted -> counted.name().contains("shuffle blocks decoded"))
                .forEach(counted -> decoded += (Long) counted.value().get());
    }

    /** How many blocks of shuffles their tasks have decoded, as Spark's page of each stage says. */
    long decoded() throws TimeoutException {
        context.listenerBus().waitUntilEmpty();
        synchronized (this) {
            return decoded;
        }
    }

    @Override
    public void close() {
        context.removeSparkListener(this);
    }
}
