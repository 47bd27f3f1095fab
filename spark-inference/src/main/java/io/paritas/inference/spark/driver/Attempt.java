/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import org.apache.spark.TaskContext;

/**
 * A task that answers a segment.
 *
 * @param operator id of the operator's RDD
 * @param execution id of the SQL execution; {@link #NO_EXECUTION} outside of SQL
 * @param stage id of the stage
 * @param segment number of the segment
 * @param task id of the task attempt, unique in the application
 */
public record Attempt(int operator, long execution, int stage, int segment, long task) {
    static final long NO_EXECUTION = -1;

    /** A running task that answers a segment of an operator. */
    public static Attempt of(TaskContext task, int operator, int segment) {
        String execution = task.getLocalProperty("spark.sql.execution.id");
        return new Attempt(
                operator,
                execution == null ? NO_EXECUTION : Long.parseLong(execution),
                task.stageId(),
                segment,
                task.taskAttemptId());
    }
}
