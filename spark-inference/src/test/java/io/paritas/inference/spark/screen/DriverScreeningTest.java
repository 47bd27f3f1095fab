/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.screen.Difference;
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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the driver makes of messages. Nobody is ended: the settings say so, or there is no cluster. */
class DriverScreeningTest {
    private static final Speaker ONE = new Speaker("1", "a", "cpu", "");
    private static final Speaker TWO = new Speaker("2", "a", "cpu", "");
    private static final Speaker OTHER = new Speaker("3", "b", "cpu", "");

    @TempDir
    private Path folder;

    private MetricRegistry registry;
    private DriverScreening screening;

    @BeforeEach
    void start() {
        start(false, 4);
    }

    private void start(boolean exclude, int exclusionsPerDay) {
        start(exclude, exclusionsPerDay, Duration.ofSeconds(5));
    }

    private void start(boolean exclude, int exclusionsPerDay, Duration interval) {
        screening = new DriverScreening(
                LocalSpark.session().sparkContext(),
                new ScreenSettings(
                        ScreenMode.RESIDUAL,
                        0.001,
                        0.001,
                        interval,
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

    /** An executor may have models on its GPU, and others on its processors. */
    @Test
    void theGpuThatPredictedIsNamed() throws IOException {
        wrong(new Speaker("1", "a", "NVIDIA H100", "GPU-8b1f"));

        assertThat(lastFinding().get("gpus").asText()).isEqualTo("GPU-8b1f");
        assertThat(screening.reports().get(0).toString()).contains("GPU-8b1f");

        next(new Speaker("1", "a", "NVIDIA H100", "GPU-8b1f"));
        wrong(ONE);

        assertThat(lastFinding().has("gpus")).isFalse();
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

    /** As with dynamic allocation, in the driver of a service. */
    @Test
    void ofManyExecutorsThatHaveLeftThoseThatWereWrongAreRemembered() throws Exception {
        screening.close();
        start(false, 4, Duration.ofMillis(1));
        wrong(ONE);
        for (int i = 0; i < 5_000; i++) {
            next(new Speaker("e" + i, "host" + i, "cpu", ""));
            if (i % 500 == 0) {
                TimeUnit.MILLISECONDS.sleep(10); // longer than executors are waited for
            }
        }

        assertThat(rows(0, 0, 5)).hasSizeLessThan(1_600).contains(List.of("1", "1"), List.of("e4999", "0"));
    }

    /** All of ten are wrong, as if Paritas were: two are ended. */
    @Test
    void noMoreAreEndedInADayThanTheSettingAllows() throws IOException {
        restart(true, 2);
        List<Speaker> all = IntStream.range(0, 10)
                .mapToObj(i -> new Speaker("e" + i, "host" + i, "cpu", ""))
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
        next(new Speaker("4", "b", "cpu", ""));
        next(new Speaker("5", "b", "cpu", ""));
        next(TWO);
        assertThat(gauge("endedExecutors")).as("there are more now").isEqualTo(2);
        assertThat(gauge("keptExecutors")).isZero();
    }

    private List<List<String>> rows(int table, int... columns) {
        return screening.reports().get(table).rows().stream()
                .map(row -> Arrays.stream(columns).mapToObj(row::get).toList())
                .toList();
    }

    @Test
    void theTablesSayWhoIsClearSuspectAndExcluded() {
        restart(true, 1);
        List.of(OTHER, ONE, TWO, new Speaker("4", "c", "cpu", "")).forEach(this::next);
        wrong(ONE);
        wrong(ONE);
        assertThat(rows(1, 0, 1, 2, 3))
                .containsExactly(
                        List.of("a", "suspect", "2", "1"),
                        List.of("b", "clear", "1", "0"),
                        List.of("c", "clear", "1", "0"));
        wrong(TWO);
        wrong(OTHER);

        assertThat(rows(0, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11))
                .containsExactly(
                        List.of("1", "a", "excluded", "2", "10", "2", "10^10.0", "10^9.0", "Conv a", ""),
                        List.of(
                                "2",
                                "a",
                                "suspect",
                                "1",
                                "10",
                                "1",
                                "10^5.0",
                                "10^9.0",
                                "Conv a",
                                "no more than 1 executors are ended in 24 hours"),
                        List.of("3", "b", "suspect", "1", "10", "1", "10^5.0", "10^9.0", "Conv a", ""),
                        List.of("4", "c", "clear", "0", "10", "0", "10^0.0", "10^9.0", "", ""));
        assertThat(rows(0, 8).get(0).get(0)).matches("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
        assertThat(rows(1, 0, 1, 2, 3, 4, 5, 6))
                .containsExactly(
                        List.of("a", "excluded", "2", "1", "3", "20", "3"),
                        List.of("b", "suspect", "1", "0", "1", "10", "1"),
                        List.of("c", "clear", "1", "0", "0", "10", "0"));
    }

    @Test
    void theTablesSayWhoWouldBeExcluded() {
        next(OTHER);
        wrong(ONE);
        wrong(ONE);
        wrong(TWO);

        assertThat(rows(0, 0, 2))
                .containsExactly(List.of("1", "faulty"), List.of("2", "suspect"), List.of("3", "clear"));
        assertThat(rows(1, 0, 1)).containsExactly(List.of("a", "faulty"), List.of("b", "clear"));
    }

    @Test
    void bitsAreSaidTheHighestFirst() {
        int[] bits = new int[32];
        Difference.count(0x8000_0008, bits);
        Difference.count(8, bits);

        assertThat(WrongBits.text(bits)).isEqualTo("31 (1 x), 3 (2 x)");
        assertThat(WrongBits.text(new int[8])).isEmpty();
    }
}
