/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.model.TrainedModel;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.time.Duration;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ServedRowsTest {
    private static final ModelSpec MODEL = new ModelSpec(
            1,
            Redundancy.none(),
            List.of(new TableSpec(100, 4, new Optimizer.Sgd(1), new Initializer(0, 1, 1))),
            List.of());

    /** As of coalesce, which reads 20 partitions in one task. */
    @Test
    @Timeout(120)
    void aTaskOfManyPartitionsHasOneClientAtATime() throws InterruptedException {
        SparkSession session = LocalSpark.session();
        try (ParameterServers servers = ParameterServers.start(
                JavaSparkContext.fromSparkContext(session.sparkContext()),
                MODEL,
                HostOptions.DEFAULT.withSpares(0),
                Duration.ofMinutes(1))) {
            Dataset<Row> rows = session.range(0, 100, 1, 20)
                    .mapPartitions(
                            new ServedRows(new ServedState(servers.location(), 0), 4), Encoders.row(TrainedModel.ROWS))
                    .coalesce(1);
            MapFunction<Row, Integer> count = row -> clients();
            List<Integer> clients = rows.map(count, Encoders.INT()).collectAsList();
            assertThat(clients).hasSize(100).allMatch(some -> some <= 1);
        }
    }

    private static int clients() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("paritas-worker-"))
                .count();
    }
}
