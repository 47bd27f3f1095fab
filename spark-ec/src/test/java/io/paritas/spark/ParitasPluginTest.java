/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.ec.catalog.ParitasCatalog;
import io.paritas.spark.ec.settings.EcSettings;
import io.paritas.spark.plugin.RecordingComponent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class ParitasPluginTest {
    private static final String PLUGIN = ParitasPlugin.class.getName();
    private static final String GIVE_AWAY = "spark.storage.decommission.enabled";

    private SparkSession spark;

    @BeforeEach
    void forget() {
        RecordingComponent.CALLS.clear();
    }

    @AfterEach
    void stop() {
        spark.stop();
    }

    @Test
    void startsComponentsAndPassesCallsAndMessages() throws Exception {
        start();
        assertThat(RecordingComponent.executor().ask("hello")).isEqualTo("hello, heard");
        spark.range(0, 1, 1, 1)
                .foreachPartition((org.apache.spark.api.java.function.ForeachPartitionFunction<Long>) rows -> {});
        assertThatThrownBy(() -> spark.range(0, 1, 1, 1)
                .foreachPartition((org.apache.spark.api.java.function.ForeachPartitionFunction<Long>) rows -> {
                    throw new IllegalStateException("as it is to");
                }));
        spark.stop();
        assertThat(RecordingComponent.CALLS)
                .containsSubsequence(
                        "driver starts",
                        "executor starts with {colour=green}",
                        "driver hears hello",
                        "task starts",
                        "task succeeds",
                        "task starts",
                        "task fails")
                .contains("driver metrics", "executor ends", "driver ends");
    }

    @Test
    void executorsSayHowMuchTheyCoded() {
        start();
        long before = gauge("codedBytes");
        ErasureCoded.unpersist(ErasureCoded.persist(spark.range(0, 1000, 1, 4), "rs-2-1"));
        assertThat(gauge("codedBytes")).isGreaterThan(before);
        assertThat(gauge("codingNanos")).isPositive();
    }

    @Test
    void sessionsHaveTheCatalogUnlessTheApplicationHasAnother() {
        start();
        assertThat(spark.conf().get("spark.sql.catalog.paritas")).isEqualTo(ParitasCatalog.class.getName());
        spark.stop();
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.plugins", PLUGIN)
                .config("spark.sql.catalog.paritas", "com.example.Catalog"));
        assertThat(spark.conf().get("spark.sql.catalog.paritas")).isEqualTo("com.example.Catalog");
    }

    /** Which they are by default, once any are. */
    @Test
    void unitsOfDecommissionedExecutorsAreGivenAwayUnlessTheApplicationSaysNo() {
        start();
        assertThat(spark.sparkContext().conf().contains(GIVE_AWAY)).isFalse();
        spark.stop();
        spark = PluginSession.start(
                PluginSession.builder().config("spark.plugins", PLUGIN).config("spark.decommission.enabled", "true"));
        assertThat(spark.sparkContext().conf().get(GIVE_AWAY)).isEqualTo("true");
        spark.stop();
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.plugins", PLUGIN)
                .config("spark.decommission.enabled", "true")
                .config(GIVE_AWAY, "false"));
        assertThat(spark.sparkContext().conf().get(GIVE_AWAY)).isEqualTo("false");
    }

    @Test
    void whatHoldsForTheApplicationCannotBeChangedInASession() {
        start();
        assertThatThrownBy(() -> spark.sql("SET spark.paritas.ec.fetchTimeout=9s"))
                .hasMessageMatching("(?s).*CANNOT_MODIFY_(STATIC_)?CONFIG.*")
                .hasMessageContaining("spark.paritas.ec.fetchTimeout");
        spark.sql("SET " + EcSettings.ON_ERROR.key() + "=null");
        assertThat(spark.newSession().conf().get("spark.paritas.ec.fetchTimeout", "5s"))
                .isEqualTo("5s");
    }

    @Test
    void aWrongValueEndsTheApplicationWhenItStarts() {
        start();
        spark.stop();
        assertThatThrownBy(() -> PluginSession.start(PluginSession.builder()
                        .config("spark.plugins", PLUGIN)
                        .config("spark.paritas.ec.fetchTimeout", "soon")))
                .hasMessageContaining("spark.paritas.ec.fetchTimeout must be ");
    }

    /** Otherwise its threads, and the application that they keep, would stay for as long as a notebook runs. */
    @Test
    void noComponentStaysOfAnApplicationThatDoesNotStart() {
        start();
        spark.stop();
        RecordingComponent.CALLS.clear();
        assertThatThrownBy(() -> PluginSession.start(PluginSession.builder()
                        .config("spark.plugins", PLUGIN)
                        .config("spark.shuffle.manager", "io.paritas.spark.ec.shuffle.CodedShuffleManager")
                        .config("spark.paritas.shuffle.code", "rs")))
                .hasMessageContaining("spark.paritas.shuffle.code must be ");
        assertThat(RecordingComponent.CALLS).containsExactly("driver starts", "driver ends");
    }

    @Test
    void theUiSaysWhatIsKept() throws Exception {
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.plugins", PLUGIN)
                .config("spark.ui.enabled", "true")
                .config("spark.ui.port", "0"));
        assertThat(page()).contains("<title>", "Paritas", "Erasure-coded rows", "none");
        Dataset<Long> rows = ErasureCoded.persist(spark.range(0, 1000, 1, 4), "rs-2-1");
        assertThat(page())
                .contains(
                        "<th>Times the rows</th>",
                        "<td>rs-2-1 of Dataset at ParitasPluginTest.java:",
                        "<td>rs-2-1</td>")
                .containsPattern("<td>4</td><td>2</td><td>[\\d.]+ KiB</td>");
        ErasureCoded.unpersist(rows);
        assertThat(page()).doesNotContain("<td>rs-2-1</td>");
    }

    private String page() throws Exception {
        URI tab = URI.create(spark.sparkContext().uiWebUrl().get() + "/paritas/");
        HttpResponse<String> response = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build()
                .send(HttpRequest.newBuilder(tab).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    private void start() {
        spark = PluginSession.start(PluginSession.builder().config("spark.plugins", PLUGIN));
    }

    private static long gauge(String name) {
        List<Source> sources = CollectionConverters.asJava(
                SparkEnv.get().metricsSystem().getSourcesByName("plugin." + ParitasPlugin.class.getName()));
        return sources.stream()
                .flatMap(source -> source.metricRegistry().getGauges().entrySet().stream())
                .filter(gauge -> gauge.getKey().equals(name))
                .mapToLong(gauge -> (Long) gauge.getValue().getValue())
                .findFirst()
                .orElseThrow();
    }
}
