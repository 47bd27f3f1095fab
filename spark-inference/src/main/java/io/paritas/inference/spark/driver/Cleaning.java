/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import scala.jdk.javaapi.CollectionConverters;

/** Has the coordinator forget what is over. Nothing but memory depends on it: listeners may miss events. */
final class Cleaning extends SparkListener {
    private final Coordinator coordinator;
    /* Stages of jobs outside of SQL executions. Only the listener's thread is here. */
    private final Map<Integer, Set<Integer>> stages = new HashMap<>();

    Cleaning(Coordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionEnd end) {
            coordinator.forget(execution -> execution.id() == end.executionId());
        }
    }

    @Override
    public void onJobStart(SparkListenerJobStart start) {
        if (start.properties() == null || start.properties().getProperty("spark.sql.execution.id") == null) {
            Set<Integer> ids = new HashSet<>();
            CollectionConverters.asJava(start.stageIds()).forEach(id -> ids.add((Integer) id));
            stages.put(start.jobId(), ids);
        }
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd end) {
        Set<Integer> over = stages.remove(end.jobId());
        if (over != null) {
            coordinator.forget(execution -> execution.id() < 0 && over.contains(execution.stage()));
        }
    }
}
