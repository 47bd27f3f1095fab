/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.SparkSetting;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;
import org.apache.spark.sql.catalyst.InternalRow;

/** What a task that predicts needs of its executor, where that is another than for other tasks. */
record TaskResources(int cpus, double gpus) {

    static TaskResources of(Options options) {
        return new TaskResources(
                options.whole(SparkSetting.TASK_CPUS, 0), options.number(SparkSetting.TASK_GPUS, 0, Double.MAX_VALUE));
    }

    /** Asks Spark for it, if it is anything. */
    RDD<InternalRow> apply(RDD<InternalRow> rows) {
        if (cpus == 0 && gpus == 0) {
            return rows;
        }
        TaskResourceRequests requests = new TaskResourceRequests();
        if (cpus > 0) {
            requests.cpus(cpus);
        }
        if (gpus > 0) {
            requests.resource("gpu", gpus);
        }
        return rows.withResources(new ResourceProfileBuilder().require(requests).build());
    }
}
