/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.Coordinator.Execution;
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

/**
 * Removes finished executions from the coordinator. Only memory depends on it, and executors that are not idle while they have blocks.
 * Listeners may miss events: the coordinator looks itself for SQL executions that are over.
 */
final class Cleaning extends SparkListener {
    private final Coordinator coordinator;
    /* Stages of jobs outside of SQL executions, by job. Used by the listener's thread only. */
    private final Map<Integer, Set<Execution>> stages = new HashMap<>();

    Cleaning(Coordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionEnd end) {
            coordinator.forget(Set.of(Execution.ofSql(end.executionId())));
        }
    }

    @Override
    public void onJobStart(SparkListenerJobStart start) {
        if (start.properties() == null || start.properties().getProperty("spark.sql.execution.id") == null) {
            Set<Execution> executions = new HashSet<>();
            CollectionConverters.asJava(start.stageIds())
                    .forEach(id -> executions.add(Execution.ofStage((Integer) id)));
            stages.put(start.jobId(), executions);
        }
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd end) {
        Set<Execution> over = stages.remove(end.jobId());
        if (over != null) {
            // Jobs may share stages.
            stages.values().forEach(over::removeAll);
            coordinator.forget(over);
        }
    }
}
