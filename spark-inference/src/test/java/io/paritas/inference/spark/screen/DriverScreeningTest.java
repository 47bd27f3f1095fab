/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.inference.screen.LayerScreen.WrongBatch;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Suspect;
import io.paritas.inference.spark.screen.ScreenMessage.Compared;
import io.paritas.inference.spark.screen.ScreenMessage.Layers;
import io.paritas.inference.spark.screen.ScreenMessage.Next;
import io.paritas.inference.spark.screen.ScreenMessage.Speaker;
import io.paritas.inference.spark.screen.ScreenMessage.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the driver makes of messages. Nobody is ended: the settings say so, or there is no cluster. */
class DriverScreeningTest {
    private static final Speaker ONE = new Speaker("1", "a", "cpu");
    private static final Speaker TWO = new Speaker("2", "a", "cpu");
    private static final Speaker OTHER = new Speaker("3", "b", "cpu");

    @TempDir
    private Path folder;

    private MetricRegistry registry;
    private DriverScreening screening;

    @BeforeEach
    void start() {
        start(false, 4);
    }

    private void start(boolean exclude, int exclusionsPerDay) {
        SparkContext spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .getOrCreate()
                .sparkContext();
        screening = new DriverScreening(
                spark,
                new ScreenSettings(
                        ScreenMode.RESIDUAL,
                        0.001,
                        0.001,
                        Duration.ofSeconds(5),
                        exclude,
                        0.01,
                        exclusionsPerDay,
                        folder.resolve("findings.jsonl").toString()));
        registry = new MetricRegistry();
        screening.register(registry);
    }

    private void restart(boolean exclude, int exclusionsPerDay) {
        screening.close();
        start(exclude, exclusionsPerDay);
    }

    @AfterEach
    void stop() {
        screening.close();
    }

    private JsonNode lastFinding() throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("findings.jsonl"));
        return new ObjectMapper().readTree(lines.get(lines.size() - 1));
    }

    private void wrong(Speaker speaker) {
        screening.receive(new Layers(speaker, new WrongBatch("sha options", 4, List.of("Conv a"))));
    }

    private long gauge(String name) {
        return ((Number) registry.getGauges().get("screening." + name).getValue()).longValue();
    }

    private Work next(Speaker speaker) {
        return Work.decode(screening.receive(new Next(speaker, 10)));
    }

    @Test
    void layersOfProtectedModelsAreReportedAndCount() throws IOException {
        wrong(ONE);
        wrong(ONE);

        List<String> lines = Files.readAllLines(folder.resolve("findings.jsonl"));
        assertThat(lines).hasSize(2);
        JsonNode last = new ObjectMapper().readTree(lines.get(1));
        assertThat(last.get("layers").get(0).asText()).isEqualTo("Conv a");
        assertThat(last.get("reason").asText()).isEqualTo("protection");
        assertThat(last.get("suspicion").asText()).isEqualTo("faulty");
        assertThat(last.get("model").asText()).isEqualTo("sha");
        assertThat(gauge("faultyExecutors")).isEqualTo(1);
        assertThat(gauge("wrongBatches")).isEqualTo(2);
    }

    @Test
    void aHostOfSeveralIsFaulty() {
        wrong(ONE);
        wrong(ONE);
        assertThat(gauge("faultyHosts")).isZero();

        wrong(TWO);

        assertThat(gauge("faultyHosts")).isEqualTo(1);
    }

    @Test
    void suspectsAreAuditedMoreThoughNobodyIsPickedAtRandom() {
        assertThat(next(OTHER).share()).isZero();
        wrong(ONE);

        assertThat(next(ONE).share()).isEqualTo(0.1);
        assertThat(next(TWO).share()).as("of the same host").isEqualTo(0.1);
        assertThat(next(OTHER).share()).isZero();
        assertThat(gauge("checkedBatches")).isEqualTo(40);
    }

    @Test
    void groupsThatDoNotFitAreToldToAll() {
        List<Suspect> suspects = List.of(new Suspect(7, 9, List.of(0)));
        screening.receive(new Compared(ONE, new RecentBatches.Compared(100, 30, 1, suspects)));

        assertThat(next(ONE).suspects()).isEqualTo(suspects);
        assertThat(next(TWO).suspects()).isEqualTo(suspects);
        assertThat(next(TWO).suspects()).isEmpty();
        assertThat(gauge("comparedGroups")).isEqualTo(100);
        assertThat(gauge("suspectGroups")).isEqualTo(1);
    }

    /** All of ten are wrong, as if Paritas were: two are ended. */
    @Test
    void noMoreAreEndedInADayThanTheSettingAllows() throws IOException {
        restart(true, 2);
        List<Speaker> all = IntStream.range(0, 10)
                .mapToObj(i -> new Speaker("e" + i, "host" + i, "cpu"))
                .toList();
        all.forEach(this::next);
        for (Speaker speaker : all) {
            wrong(speaker);
            wrong(speaker);
        }

        assertThat(gauge("faultyExecutors")).isEqualTo(10);
        assertThat(gauge("endedExecutors")).isEqualTo(2);
        assertThat(gauge("keptExecutors")).isEqualTo(8);
        assertThat(lastFinding().get("suspicion").asText()).isEqualTo("suspect");
        assertThat(lastFinding().get("notEnded").asText()).isEqualTo("no more than 2 executors are ended in 24 hours");
    }

    /** The first of a faulty host is ended, the second one would leave one of three. */
    @Test
    void halfOfTheExecutorsStayThoughTheirHostIsFaulty() throws IOException {
        restart(true, 4);
        List.of(ONE, TWO, OTHER).forEach(this::next);
        wrong(ONE);
        wrong(ONE);
        assertThat(lastFinding().get("suspicion").asText()).isEqualTo("faulty");
        assertThat(lastFinding().has("notEnded")).isFalse();

        wrong(TWO);

        assertThat(gauge("faultyHosts")).isEqualTo(1);
        assertThat(gauge("endedExecutors")).isEqualTo(1);
        assertThat(lastFinding().get("executor").asText()).isEqualTo("2");
        assertThat(lastFinding().get("notEnded").asText()).isEqualTo("fewer than half of the executors would be left");
        next(new Speaker("4", "b", "cpu"));
        next(new Speaker("5", "b", "cpu"));
        next(TWO);
        assertThat(gauge("endedExecutors")).as("there are more now").isEqualTo(2);
        assertThat(gauge("keptExecutors")).isZero();
    }
}
