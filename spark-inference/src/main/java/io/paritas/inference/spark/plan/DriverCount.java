/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.task.Attributes;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;
import scala.Tuple2;

/** A metric of an operator that counts what the driver does while the query runs. */
final class DriverCount {
    private DriverCount() {}

    /** Adds one, in the metric and on the page of the query in Spark's UI. For one thread at a time. */
    static void increment(SparkContext context, long execution, SQLMetric metric) {
        metric.add(1);
        // Not by SQLMetrics, which posts the sum so far: the page adds up what is posted.
        Tuple2<Object, Object> one = new Tuple2<>(metric.id(), 1L);
        context.listenerBus().post(new SparkListenerDriverAccumUpdates(execution, Attributes.seq(List.of(one))));
    }
}
