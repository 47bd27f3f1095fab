/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static io.paritas.it.spark.ScreeningResults.gauge;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.it.Await;
import io.paritas.it.spark.FaultyExecutor.Kind;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;

/** Two hosts with two executors each. Those of one compute wrong values: that host is left out, and the other one is not. */
class ScreenedHostsIT {
    private static final int HOSTS = 2;
    private static final int EXECUTORS = 4;
    private static final int PARTITIONS = 12;
    private static final int ROWS = PARTITIONS * 2 * KnownAnswers.BATCH_ROWS;
    private static final String NONE = "none";

    @TempDir
    Path folder;

    /** Each executor of a host is faulty in its own way. */
    private record FaultyHost(String host, long seed) implements MapPartitionsFunction<Row, Row>, Serializable {
        @Override
        public Iterator<Row> call(Iterator<Row> rows) {
            String executor = SparkEnv.get().executorId();
            boolean faulty =
                    SparkEnv.get().blockManager().blockManagerId().host().equals(host);
            return new FaultyExecutor(faulty ? executor : NONE, Kind.LASTING, seed + executor.hashCode()).call(rows);
        }
    }

    private Map<String, Object> settings(StandaloneCluster cluster) throws IOException {
        Map<String, String> shared = new HashMap<>(cluster.settings());
        shared.putAll(SparkArchive.settings(cluster));
        Map<String, Object> settings = new HashMap<>(shared);
        settings.putAll(ScreeningResults.settings(shared, "audit", "1", report()));
        settings.put("spark.executor.cores", "1");
        settings.put("spark.executor.memory", "512m");
        settings.putAll(SharedSpark.withJars(cluster));
        settings.put("spark.locality.wait", "0");
        settings.put("spark.ui.enabled", "true");
        settings.put("spark.ui.port", "0");
        return settings;
    }

    private Path report() {
        return folder.resolve("findings.jsonl");
    }

    @Test
    void aHostWhoseExecutorsAreWrongIsLeftOut() throws Exception {
        SharedSpark.endApplication();
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(HOSTS, 2, 1024));
                SparkSession session =
                        SparkSession.builder().config(settings(cluster)).getOrCreate()) {
            Await.until(
                    "all executors get tasks",
                    () -> SharedSpark.working(session, EXECUTORS).size() == EXECUTORS,
                    ScreenedHostsIT::hosts);
            List<String> hosts = hosts().values().stream().distinct().sorted().toList();
            assertThat(hosts).hasSize(HOSTS);
            KnownAnswers known = KnownAnswers.exact(folder, 2, 1);

            soundHostsAreNotAccused(session, known);
            String faulty = hosts.get(0);
            String sound = hosts.get(1);
            Await.until(
                    "all executors of " + faulty + " were ended",
                    () -> {
                        answers(session, known, faulty);
                        return !hosts().containsValue(faulty);
                    },
                    () -> findings() + " " + hosts());

            known.check(answers(session, known, faulty), ROWS);
            assertThat(hosts().values()).containsExactly(sound, sound);
            assertThat(findings()).isNotEmpty().allSatisfy(finding -> assertThat(
                            finding.get("host").asText())
                    .isEqualTo(faulty));
            assertThat(gauge("faultyHosts")).isEqualTo(1);
            assertThat(gauge("endedExecutors")).isEqualTo(2);
            assertThat(gauge("keptExecutors")).isZero();
            assertThat(page(session))
                    .contains("<td>" + faulty + "</td><td>excluded</td><td>2</td><td>2</td>")
                    .contains("<td>" + sound + "</td><td>clear</td><td>2</td><td>0</td>");
        }
    }

    private void soundHostsAreNotAccused(SparkSession session, KnownAnswers known) throws Exception {
        Await.until(
                "twenty batches were audited",
                () -> {
                    known.check(answers(session, known, NONE), ROWS);
                    return gauge("auditedBatches") >= 20;
                },
                () -> gauge("auditedBatches"));
        assertThat(findings()).isEmpty();
        assertThat(gauge("undecidedBatches")).isZero();
    }

    private static List<Row> answers(SparkSession session, KnownAnswers known, String faulty) {
        Dataset<Row> rows = KnownAnswers.rows(session, ROWS, PARTITIONS);
        return rows.mapPartitions(new FaultyHost(faulty, 1), Encoders.row(rows.schema()))
                .select(
                        col("id"),
                        Predict.plain(known.path().toString(), col("x"))
                                .option(EngineSettings.BATCH_ROWS, KnownAnswers.BATCH_ROWS)
                                .option(EngineSettings.NAME, "protected")
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.*")
                .collectAsList();
    }

    /** The hosts of the executors that there are. */
    private static Map<String, String> hosts() {
        Map<String, String> hosts = new HashMap<>();
        for (BlockManagerId manager : CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet()) {
            if (!manager.isDriver()) {
                hosts.put(manager.executorId(), manager.host());
            }
        }
        return hosts;
    }

    private List<JsonNode> findings() throws IOException {
        return ScreeningResults.findings(report());
    }

    private static String page(SparkSession session) throws Exception {
        URI tab = URI.create(session.sparkContext().uiWebUrl().get() + "/paritas/");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(tab).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
