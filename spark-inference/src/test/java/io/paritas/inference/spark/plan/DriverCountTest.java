/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.LocalSpark;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

class DriverCountTest {
    /** A metric of a real plan, which does not run. */
    @Test
    void thePageOfAQueryHasTheSameNumberAsTheMetric() throws Exception {
        SparkSession spark = (SparkSession) LocalSpark.session();
        SparkContext context = spark.sparkContext();
        QueryExecution query = spark.range(0, 5, 1, 1).queryExecution();
        SQLMetric metric = rows(query.executedPlan());
        long execution = SQLExecution.withNewExecutionId(query, Option.apply("counted"), () -> {
            long id = Long.parseLong(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY()));
            for (int i = 0; i < 3; i++) {
                DriverCount.increment(context, id, metric);
            }
            return id;
        });
        context.listenerBus().waitUntilEmpty();

        assertThat(metric.value()).isEqualTo(3L);
        assertThat(CollectionConverters.asJava(spark.sharedState().statusStore().executionMetrics(execution)))
                .containsEntry(metric.id(), "3");
    }

    private static SQLMetric rows(SparkPlan plan) {
        Option<SQLMetric> metric = plan.metrics().get("numOutputRows");
        return metric.isDefined() ? metric.get() : rows(plan.children().head());
    }
}
