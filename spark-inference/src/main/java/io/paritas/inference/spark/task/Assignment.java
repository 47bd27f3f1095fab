/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.CoordinatorClient;
import org.apache.spark.TaskContext;

/**
 * What a task is to answer, and whom it asks. For the task's thread only.
 *
 * @param task the attempt, as Spark sees it
 * @param segment whose rows it answers
 * @param plan the rows and the deployed model
 * @param coding the code and its segments
 * @param coordinator says what to do
 */
record Assignment(
        TaskContext task, int segment, PredictionPlan plan, CodingSpec coding, CoordinatorClient coordinator) {}
