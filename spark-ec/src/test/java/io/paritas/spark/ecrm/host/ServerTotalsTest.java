/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.paritas.spark.ParitasPlugin;
import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.server.ServerCounters;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.metrics.source.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import scala.jdk.javaapi.CollectionConverters;

class ServerTotalsTest {
    @RegisterExtension
    static final PluginSession SPARK = new PluginSession();

    private static final int PUSHES = 20;
    private static final HostOptions WITHOUT_SPARES = HostOptions.DEFAULT.withSpares(0);

    private static Map<String, Long> values(MetricRegistry registry) {
        Map<String, Long> values = new TreeMap<>();
        registry.getGauges((name, gauge) -> name.startsWith("ecrm."))
                .forEach((name, gauge) -> values.put(name, (Long) gauge.getValue()));
        return values;
    }

    /** Returns the gauges by name, as Spark reports them. */
    private static Map<String, Long> published() {
        List<Source> sources = CollectionConverters.asJava(
                SparkEnv.get().metricsSystem().getSourcesByName("plugin." + ParitasPlugin.class.getName()));
        return sources.stream()
                .map(source -> values(source.metricRegistry()))
                .filter(values -> !values.isEmpty())
                .findFirst()
                .orElseThrow();
    }

    /** Reports as they arrive a few times a second. */
    private static void await(String name, long value) throws InterruptedException {
        for (int wait = 0; wait < 600 && published().get(name) != value; wait++) {
            Thread.sleep(50);
        }
        assertThat(published()).containsEntry(name, value);
    }

    @Test
    void executorsSayWhatTheirServersDo() throws InterruptedException {
        ModelSpec model = new ModelSpec(
                3,
                Redundancy.coded(2),
                List.of(new TableSpec(100, 2, new Optimizer.Momentum(0.1f, 0.9f), new Initializer(0, 0, 0))),
                List.of());
        await("ecrm.servers", 0);
        Map<String, Long> before = published();
        assertThat(before)
                .containsOnlyKeys(
                        "ecrm.servers",
                        "ecrm.updatedRows",
                        "ecrm.parityBytes",
                        "ecrm.recoveredUnits",
                        "ecrm.missingUnits");
        JavaSparkContext spark = JavaSparkContext.fromSparkContext(SPARK.spark().sparkContext());
        try (ParameterServers servers = ParameterServers.start(spark, model, WITHOUT_SPARES, Duration.ofMinutes(1));
                ParameterClient client = ParameterClient.connect(servers.location(), 1)) {
            for (int push = 0; push < PUSHES; push++) {
                client.push(List.of(new RowGradients(0, new long[] {7, 50}, new float[] {1, 2, 3, 4})), List.of());
            }
            await("ecrm.servers", 3);
            await("ecrm.updatedRows", before.get("ecrm.updatedRows") + 2 * PUSHES);
            // Two parameters and two floats of state in each update of a row, which has one parity.
            await("ecrm.parityBytes", before.get("ecrm.parityBytes") + 2 * PUSHES * 4L * 4);
            assertThat(published())
                    .containsEntry("ecrm.missingUnits", before.get("ecrm.missingUnits"))
                    .containsEntry("ecrm.recoveredUnits", before.get("ecrm.recoveredUnits"));
            assertThat(servers.state().recovered()).isEqualTo(1);
        }
        await("ecrm.servers", 0);
        assertThat(published())
                .as("what was done stays")
                .containsEntry("ecrm.updatedRows", before.get("ecrm.updatedRows") + 2 * PUSHES);
    }

    @Test
    void ofAServerThatEndsWhatItDidStaysAndWhatItMissedDoesNot() throws InterruptedException {
        await("ecrm.servers", 0);
        MetricRegistry registry = new MetricRegistry();
        ServerTotals.register(registry);
        Map<String, Long> before = values(registry);
        ServerTotals.Contribution part = new ServerTotals.Contribution();
        part.tell(new ServerCounters(1, 20, 300, 4000));
        part.tell(new ServerCounters(2, 30, 500, 3800));
        assertThat(values(registry)).isEqualTo(sum(before, 1, 2, 30, 500, 3800));
        part.end();
        assertThat(values(registry)).isEqualTo(sum(before, 0, 2, 30, 500, 0));
    }

    private static Map<String, Long> sum(
            Map<String, Long> before, long servers, long rows, long bytes, long recovered, long missing) {
        return Map.of(
                "ecrm.servers", before.get("ecrm.servers") + servers,
                "ecrm.updatedRows", before.get("ecrm.updatedRows") + rows,
                "ecrm.parityBytes", before.get("ecrm.parityBytes") + bytes,
                "ecrm.recoveredUnits", before.get("ecrm.recoveredUnits") + recovered,
                "ecrm.missingUnits", before.get("ecrm.missingUnits") + missing);
    }
}
