/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static io.paritas.it.spark.ScreeningResults.gauge;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.ResidualDistribution;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.screen.ExecutorScreen;
import io.paritas.inference.spark.screen.ExecutorScreen.Screened;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.it.Await;
import io.paritas.it.spark.FaultyExecutor.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One of three executors computes wrong values, and no layer is checked: the others find it, and it is ended. */
class ScreeningIT {
    private static final int PARTITIONS = 12;
    private static final int ROWS = PARTITIONS * 2 * KnownAnswers.BATCH_ROWS;
    /** So many that a few queries compare a hundred groups, in slots that are idle. */
    private static final int MANY_ROWS = 10 * ROWS;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private Map<String, String> settings(String mode, String share) {
        return ScreeningResults.settings(SPARK.settings(), mode, share, report());
    }

    private Path report() {
        return folder.resolve("findings.jsonl");
    }

    private static List<Row> answers(SparkSession session, KnownAnswers known, String faulty) {
        return answers(
                session,
                Predict.plain(known.path().toString(), col("x"))
                        .option(EngineSettings.BATCH_ROWS, KnownAnswers.BATCH_ROWS),
                faulty,
                ROWS);
    }

    private static List<Row> answers(SparkSession session, Predict call, String faulty, int count) {
        Dataset<Row> rows = KnownAnswers.rows(session, count, PARTITIONS);
        return rows.mapPartitions(new FaultyExecutor(faulty, Kind.LASTING, 1), Encoders.row(rows.schema()))
                .select(
                        col("id"),
                        call.option(EngineSettings.NAME, "protected").toColumn().as("answer"))
                .select("id", "answer.*")
                .collectAsList();
    }

    /** No batch is picked at random: what the parities do not fit is audited, and tells who was wrong. */
    @Test
    void parityThatIsThereAnywayFindsAFaultyExecutor() throws Exception {
        SparkSession session = SPARK.session(settings("residual", "0"));
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        ParityModels.read(known.path().getParent())
                .withResiduals(List.of(new ResidualDistribution(1000, List.of(0.0))))
                .bundle()
                .write(known.path().getParent());
        Await.until(
                "a hundred groups were compared",
                () -> {
                    known.check(answers(session, known.predict(), "nobody", MANY_ROWS), MANY_ROWS);
                    return gauge("comparedGroups") >= 100;
                },
                () -> gauge("comparedGroups"));
        assertThat(gauge("suspectGroups")).isZero();
        assertThat(gauge("auditedBatches")).isZero();
        String faulty = SPARK.executors().get(1).id();

        Await.until(
                "executor " + faulty + " was ended",
                () -> {
                    answers(session, known.predict(), faulty, MANY_ROWS);
                    return SPARK.executors().stream()
                            .noneMatch(executor -> executor.id().equals(faulty));
                },
                () -> findings() + " " + gauge("suspectGroups") + " " + SPARK.executors());

        assertThat(findings()).isNotEmpty().allSatisfy(finding -> {
            assertThat(finding.get("executor").asText()).isEqualTo(faulty);
            assertThat(finding.get("reason").asText()).isEqualTo("residual");
        });
        assertThat(gauge("suspectGroups")).isPositive();
        assertThat(gauge("faultyHosts")).isZero();
        oneThatDiesLaterIsReplaced();
        Leftovers.awaitNone(session);
    }

    /** Spark has one executor fewer than before, no more. */
    private static void oneThatDiesLaterIsReplaced() throws Exception {
        List<String> left = SPARK.executors().stream().map(ExecutorProcess::id).toList();
        assertThat(left).hasSize(2);
        SPARK.executor(left.get(0)).kill();
        Await.until(
                "another executor is there",
                () -> SPARK.executors().size() == 2
                        && SPARK.executors().stream()
                                .noneMatch(executor -> executor.id().equals(left.get(0))),
                SPARK::executors);
        assertThat(SPARK.executors()).extracting(ExecutorProcess::id).contains(left.get(1));
    }

    @Test
    void soundExecutorsAreNotAccusedAndAFaultyOneIsEnded() throws Exception {
        SparkSession session = SPARK.session(settings("audit", "1"));
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);
        exercisesOfSoundExecutorsFindNothing(session);
        auditsOfSoundExecutorsFindNothing(session, known);
        slicesOfCodedStripesAreAudited(session);
        String faulty = SPARK.executors().get(1).id();

        Await.until(
                "executor " + faulty + " was ended",
                () -> {
                    answers(session, known, faulty);
                    return SPARK.executors().stream()
                            .noneMatch(executor -> executor.id().equals(faulty));
                },
                () -> findings() + " " + SPARK.executors());

        assertThat(SPARK.executors()).extracting(ExecutorProcess::id).hasSize(2);
        assertThat(findings())
                .isNotEmpty()
                .allSatisfy(finding -> {
                    assertThat(finding.get("executor").asText()).isEqualTo(faulty);
                    assertThat(finding.get("application").asText())
                            .isEqualTo(session.sparkContext().applicationId());
                    assertThat(finding.get("bits").get(30).asInt()).isPositive();
                    assertThat(finding.get("wrongRows").asInt()).isPositive();
                    assertThat(finding.get("agreed")).hasSize(2);
                })
                .anySatisfy(
                        finding -> assertThat(finding.get("suspicion").asText()).isEqualTo("faulty"));
        assertThat(gauge("faultyExecutors")).isEqualTo(1);
        known.check(answers(session, known, faulty), ROWS);
        Leftovers.awaitNone(session);
    }

    private static void exercisesOfSoundExecutorsFindNothing(SparkSession session) {
        List<Screened> screened = ExecutorScreen.run(session.sparkContext(), Duration.ofMillis(200));

        assertThat(screened)
                .extracting(Screened::executor)
                .containsExactlyInAnyOrderElementsOf(
                        SPARK.executors().stream().map(ExecutorProcess::id).toList());
        assertThat(screened).allSatisfy(executor -> {
            assertThat(executor.isWrong()).isFalse();
            assertThat(executor.processors())
                    .isNotEmpty()
                    .allMatch(processor -> processor.runs().size() == 3);
        });
    }

    private void auditsOfSoundExecutorsFindNothing(SparkSession session, KnownAnswers known) throws Exception {
        Await.until(
                "fifty batches were audited",
                () -> {
                    known.check(answers(session, known, "nobody"), ROWS);
                    return gauge("auditedBatches") >= 50;
                },
                () -> gauge("auditedBatches"));
        assertThat(report()).doesNotExist();
        assertThat(gauge("wrongBatches")).isZero();
        assertThat(gauge("undecidedBatches")).isZero();
    }

    /** No models run meanwhile: each executor offers its first stripe, and all the others. */
    private static void slicesOfCodedStripesAreAudited(SparkSession session) throws Exception {
        long before = gauge("auditedBatches");
        Await.until(
                "ten more samples were audited",
                () -> {
                    session.range(0, 60, 1, 6)
                            .selectExpr("ec_encode(cast(repeat(string(id), 5000) AS BINARY), 'rs-3-2') AS units")
                            .selectExpr("max(crc32(units[4]))")
                            .collectAsList();
                    return gauge("auditedBatches") >= before + 10;
                },
                () -> gauge("auditedBatches") - before);
        assertThat(gauge("wrongBatches")).isZero();
        assertThat(gauge("undecidedBatches")).isZero();
    }

    private List<JsonNode> findings() throws IOException {
        return ScreeningResults.findings(report());
    }
}
