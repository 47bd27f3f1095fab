/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import org.apache.spark.TaskContext;

/** Tells attempts at tasks apart in 31 bits. Spark's own ids count all attempts of an application, and become greater. */
public final class AttemptNumber {
    private AttemptNumber() {}

    /** A number from 0, which comes again after 2^31 other attempts of the application. */
    public static int of(TaskContext task) {
        return (int) (task.taskAttemptId() & Integer.MAX_VALUE);
    }
}
