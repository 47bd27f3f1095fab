/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.it.Await;
import io.paritas.it.spark.FaultyExecutor.Kind;
import io.paritas.it.spark.FoundFaults.Task;
import io.paritas.spark.ParitasPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One of three executors computes wrong values: all answers are right, and it is known which executor it is. */
class ProtectedPredictionsIT {
    private static final int PARTITIONS = 12;
    private static final int BATCHES = 2;
    private static final int ROWS = PARTITIONS * BATCHES * KnownAnswers.BATCH_ROWS;
    private static final String FOUND_ONCE = "Paritas: wrong values were found in Gemm '";
    private static final String FOUND_TWICE = "Paritas: wrong values twice in Gemm '";

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private SparkSession session;
    private KnownAnswers known;
    private String faulty;
    private FoundFaults found;

    /** A task that has failed on an executor is not tried there again. All logs go to standard error, that of models too. */
    private static Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("spark.plugins", ParitasPlugin.class.getName());
        settings.put("spark.excludeOnFailure.enabled", "true");
        settings.put("spark.excludeOnFailure.application.maxFailedTasksPerExecutor", "1000");
        settings.put(
                "spark.executor.extraJavaOptions",
                SPARK.settings().get("spark.executor.extraJavaOptions")
                        + " -Dio.paritas.inference.protect.faults=true -Dlog4j2.configurationFile="
                        + SPARK.cluster().folder().resolve("home/conf/log4j2.properties"));
        return settings;
    }

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(settings());
        known = KnownAnswers.exact(folder, 2, 1);
        faulty = SPARK.executors().get(1).id();
        found = FoundFaults.listen(session);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        found.close();
        Leftovers.awaitNone(session);
    }

    private Dataset<Row> query(Predict predict, Kind kind) {
        FaultyExecutor by = new FaultyExecutor(faulty, kind, 1);
        Dataset<Row> rows = KnownAnswers.rows(session, ROWS, PARTITIONS);
        return rows.mapPartitions(by, Encoders.row(rows.schema()))
                .select(
                        col("id"),
                        predict.option(EngineSettings.BATCH_ROWS, KnownAnswers.BATCH_ROWS)
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.*");
    }

    private Predict plain(String mode) {
        return Predict.plain(known.path().toString(), col("x")).option("protect", mode);
    }

    private Predict coded(String mode) {
        return known.predict().option("protect", mode);
    }

    /** Every batch of the executor is wrong once, so that all of them must be found, and no other. */
    @ParameterizedTest
    @ValueSource(strings = {"global", "thread", "guided"})
    void passingFaultsAreFoundPutRightAndCounted(String mode) throws Exception {
        Map<String, Long> before = logged(FOUND_ONCE);

        known.check(query(plain(mode), Kind.PASSING).collectAsList(), ROWS);

        List<Task> tasks = found.await(PARTITIONS);
        assertThat(tasks).extracting(Task::executor).contains(faulty);
        assertThat(tasks).allSatisfy(task -> {
            assertThat(task.checks()).isPositive();
            assertThat(task.detections()).isEqualTo(task.executor().equals(faulty) ? BATCHES : 0);
            assertThat(task.recomputations()).isEqualTo(task.detections());
            assertThat(task.failure()).isEmpty();
        });
        awaitLogged(FOUND_ONCE, before, detections(tasks));
    }

    /** Segments, and parities of segments. */
    @ParameterizedTest
    @ValueSource(strings = {"global", "thread", "guided"})
    void passingFaultsOfCodedPredictionsToo(String mode) throws Exception {
        Map<String, Long> before = logged(FOUND_ONCE);

        known.check(query(coded(mode), Kind.PASSING).collectAsList(), ROWS);

        List<Task> tasks = found.await(PARTITIONS).stream()
                .filter(task -> task.checks() > 0) // others reconstruct, or were not needed
                .toList();
        assertThat(detections(tasks)).isPositive();
        assertThat(tasks).allSatisfy(task -> {
            assertThat(task.detections() > 0)
                    .as("%s", task)
                    .isEqualTo(task.executor().equals(faulty));
            assertThat(task.recomputations()).isEqualTo(task.detections());
            assertThat(task.failure()).isEmpty();
        });
        awaitLogged(FOUND_ONCE, before, detections(tasks));
    }

    /** Nothing wrong is answered: tasks fail there, say which layer and executor it was, and are run elsewhere. */
    @ParameterizedTest
    @CsvSource({"plain, global", "plain, thread", "plain, guided", "coded, guided"})
    void lastingFaultsFailTheirTasksWhichAreRunElsewhere(String function, String mode) throws Exception {
        Map<String, Long> before = logged(FOUND_TWICE);
        Predict predict = function.equals("plain") ? plain(mode) : coded(mode);

        known.check(query(predict, Kind.LASTING).collectAsList(), ROWS);

        List<Task> tasks = found.await(PARTITIONS);
        List<Task> failed =
                tasks.stream().filter(task -> !task.failure().isEmpty()).toList();
        assertThat(failed).isNotEmpty().allSatisfy(task -> {
            assertThat(task.executor()).isEqualTo(faulty);
            assertThat(task.failure())
                    .contains("model.onnx failed on executor " + faulty + ": wrong values were found in Gemm '")
                    .contains("' of a batch of 4 rows, and again when it was computed once more");
        });
        awaitLogged(FOUND_TWICE, before, 1);
    }

    /** By the policy onError, only the rows of that executor are unavailable, and what was found there is counted. */
    @Test
    void lastingFaultsMakeRowsUnavailableWhereThatIsAskedFor() throws Exception {
        List<Row> answers = query(plain("global").option(EngineSettings.ON_ERROR, OnError.COLUMN), Kind.LASTING)
                .collectAsList();

        List<Task> tasks = found.await(PARTITIONS);
        assertThat(detections(tasks)).isPositive();
        assertThat(tasks).allSatisfy(task -> {
            assertThat(task.detections()).isEqualTo(task.executor().equals(faulty) ? BATCHES : 0);
            assertThat(task.recomputations()).isZero();
            assertThat(task.failure()).isEmpty();
        });
        List<Row> wrong = answers.stream()
                .filter(row -> row.getString(2).equals("unavailable"))
                .toList();
        assertThat(wrong).hasSize(Math.toIntExact(detections(tasks)) * KnownAnswers.BATCH_ROWS);
        assertThat(wrong).allSatisfy(row -> {
            assertThat(row.isNullAt(1)).isTrue();
            assertThat(row.getString(3))
                    .contains("failed on executor " + faulty + ": wrong values were found in Gemm '");
        });
        assertThat(answers).hasSize(ROWS);
    }

    /** What the checks are for: the same faults, without them, are answered. */
    @Test
    void withoutProtectionTheFaultsAreAnswered() {
        List<Row> answers = query(plain("off").option(EngineSettings.NAME, "protected"), Kind.PASSING)
                .collectAsList();

        assertThatThrownBy(() -> known.check(answers, ROWS)).isInstanceOf(AssertionError.class);
    }

    private static long detections(List<Task> tasks) {
        return tasks.stream().mapToLong(Task::detections).sum();
    }

    /** Workers copy what executors log. */
    private void awaitLogged(String text, Map<String, Long> before, long more) throws Exception {
        Await.until(
                faulty + " has logged " + more + " faults more than " + before,
                () -> logged(text).get(faulty) >= before.get(faulty) + more,
                () -> logged(text));
        assertThat(others(logged(text))).isEqualTo(others(before));
    }

    private Map<String, Long> others(Map<String, Long> logged) {
        Map<String, Long> others = new HashMap<>(logged);
        others.remove(faulty);
        return others;
    }

    /** How many lines of each executor's log have a text. */
    private Map<String, Long> logged(String text) throws IOException {
        Map<String, Long> lines = new HashMap<>();
        String application = session.sparkContext().applicationId();
        for (ExecutorProcess executor : SPARK.executors()) {
            Path end = Path.of(application, executor.id(), "stderr");
            try (Stream<Path> files =
                    Files.find(SPARK.cluster().folder().resolve("work"), 4, (path, facts) -> path.endsWith(end))) {
                Path file = files.findFirst().orElseThrow();
                lines.put(
                        executor.id(),
                        Files.readString(file)
                                .lines()
                                .filter(line -> line.contains(text))
                                .count());
            }
        }
        return lines;
    }
}
