/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.InitialRows;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.table.Redundancy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused, and before anything is started. */
class RecommendationTrainerTest {
    private static final SparkSession SPARK = LocalSpark.session();
    private static final Tables TABLES = Tables.of(100);
    private static final DlrmShape SHAPE =
            new DlrmShape(2, List.of(4), TABLES, 4, Interaction.CONCATENATION, List.of(4));

    private final RecommendationTrainer trainer =
            RecommendationTrainer.of(SHAPE).workers(2).waitFor(Duration.ofMillis(1));

    private static Dataset<Row> samples(int partitions) {
        return new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(SPARK, 0, 10, partitions);
    }

    @Test
    void aClusterWithTooFewSlotsIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> trainer.train(samples(2)))
                .withMessage(
                        "training with 3 servers, 1 spares and 2 workers must have 6 slots, got 4 after 1 ms: give the"
                                + " application more executors (spark.dynamicAllocation.minExecutors, where it is dynamic) or cores, or more"
                                + " time with spark.paritas.ecrm.slotsTimeout or waitFor of the trainer, or"
                                + " train with fewer");
    }

    /** Not after the samples have been read, which takes minutes. */
    @Test
    void whatIsMissingIsRefusedBeforeSamplesAreRead(@TempDir Path folder) throws InterruptedException {
        Dataset<Row> unread =
                samples(2).withColumn("label", raise_error(lit("read")).cast("float"));
        assertThatIllegalStateException()
                .isThrownBy(() -> trainer.evaluation(unread, 1).train(unread))
                .withMessageStartingWith("training with 3 servers, 1 spares and 2 workers must have 6 slots, got 4");
        RecommendationTrainer fits = small().evaluation(unread, 1);
        String checkpoints = folder.toUri().toString();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fits.resume(checkpoints).train(unread))
                .withMessage("folder must have a complete checkpoint, got "
                        + checkpoints.replaceFirst("///", "/").replaceFirst("/$", "")
                        + ": start without one, or name the folder that checkpoints were written to");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> small().evaluation(unread, 1)
                        .checkpoints(CheckpointPolicy.everyBatches("/dev/null/below", 1))
                        .train(unread))
                .withMessageStartingWith("cannot use the folder of checkpoints: checkpoints must be written into"
                        + " /dev/null/below by the driver and all executors, the driver cannot: ");
    }

    /** Nothing is wrong with the folder. */
    @Test
    void anInterruptRefusesNoFolder() {
        SPARK.sparkContext().hadoopConfiguration().setClass("fs.interrupted.impl", Interrupted.class, FileSystem.class);
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> small().checkpoints(CheckpointPolicy.everyBatches("interrupted:/folder", 1))
                        .requireReady(SPARK))
                .withMessage("Call interrupted")
                .withCauseInstanceOf(InterruptedIOException.class);
    }

    /** Files of a thread that is interrupted when it makes a folder. */
    static final class Interrupted extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("interrupted:///");
        }

        @Override
        public boolean mkdirs(org.apache.hadoop.fs.Path path) throws IOException {
            throw new InterruptedIOException("Call interrupted");
        }
    }

    private static RecommendationTrainer small() {
        return RecommendationTrainer.of(SHAPE)
                .servers(1)
                .redundancy(Redundancy.none())
                .options(HostOptions.DEFAULT.withSpares(0));
    }

    /** Executors come when there are tasks for them. */
    @Test
    void withDynamicAllocationOnlyTrainingLooksForSlots() throws InterruptedException {
        String setting = "spark.dynamicAllocation.enabled";
        SPARK.sparkContext().conf().set(setting, "true");
        try {
            trainer.requireReady(SPARK);
            assertThatIllegalStateException()
                    .isThrownBy(() -> trainer.train(samples(2)))
                    .withMessageContaining("must have 6 slots, got 4");
        } finally {
            SPARK.sparkContext().conf().remove(setting);
        }
    }

    /** Where nobody has called waitFor. */
    @Test
    void slotsAreAwaitedAsLongAsTheSettingSays() {
        String setting = "spark.paritas.ecrm.slotsTimeout";
        SPARK.sparkContext().conf().set(setting, "3ms");
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> RecommendationTrainer.of(SHAPE).workers(2).requireReady(SPARK))
                    .withMessageContaining("must have 6 slots, got 4 after 3 ms: ");
        } finally {
            SPARK.sparkContext().conf().remove(setting);
        }
    }

    /** Where nobody has called waitFor. */
    @Test
    void serversHaveAsLongToStartAsTheSettingSays() {
        String setting = "spark.paritas.ecrm.startTimeout";
        SPARK.sparkContext().conf().set(setting, "1ms");
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> RecommendationTrainer.of(SHAPE)
                            .servers(1)
                            .redundancy(Redundancy.none())
                            .options(HostOptions.DEFAULT.withSpares(0))
                            .train(samples(1))
                            .close())
                    .withMessageStartingWith("servers must be up within 1 ms: ");
        } finally {
            SPARK.sparkContext().conf().remove(setting);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecommendationTrainer.requireSuitable(new SparkConf(false).set(setting, "soon")))
                .withMessageStartingWith(setting + " must be ")
                .withMessageEndingWith(", got 'soon'");
    }

    @Test
    void aWorkerWithoutAPartitionIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> small().workers(2).train(samples(1)))
                .withMessage("each worker must have at least 1 partition, got 1 partitions for 2 workers: use"
                        + " repartition(2), or fewer workers");
    }

    @Test
    void samplesWithoutAColumnAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.train(samples(2).drop("label")))
                .withMessageContaining("label is missing");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.evaluation(samples(2).drop("dense"), 1))
                .withMessageContaining("dense is missing");
    }

    /** Not after the first epoch. */
    @Test
    void samplesThatCannotBeEvaluatedAreRefused() {
        refusesToEvaluate(
                small(),
                "a sample is invalid, label null,",
                "if(id = 3, null, 1f) label",
                "array(1f, 2f) dense",
                "array(id) categorical");
        refusesToEvaluate(
                small(),
                "a sample is invalid, label 1.0, dense [1.0], categorical [0]: it must have 2 dense numbers, got 1:",
                "1f label",
                "array(1f) dense",
                "array(0L) categorical");
        refusesToEvaluate(
                small(),
                "a sample is invalid, label 1.0, dense [1.0, 2.0], categorical [0, 100]: its ids must be 0 to 99, got 100:",
                "1f label",
                "array(1f, 2f) dense",
                "array(0L, id + 91) categorical");
        refusesToEvaluate(
                small().stopEarly(2),
                "to stop early, samples to evaluate with must have clicks and others, got 10 clicks in 10 samples: evaluate"
                        + " with more of them",
                "1f label",
                "array(1f, 2f) dense",
                "array(id) categorical");
    }

    private void refusesToEvaluate(RecommendationTrainer evaluated, String message, String... columns) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> evaluated
                        .evaluation(SPARK.range(10).selectExpr(columns), 1)
                        .train(samples(2)))
                .withMessageStartingWith(message);
    }

    @Test
    void moreSamplesThanTheDriverCanEvaluateAreRefused() {
        Evaluations.requireRoom(250, 1000, 4000);
        String rule =
                "the driver must hold 4 bytes for each sample to evaluate with, in spark.driver.maxResultSize and in a"
                        + " quarter of its heap: at most 250 samples, got 251: evaluate with fewer, or give the driver more of both";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Evaluations.requireRoom(251, 1000, 40_000))
                .withMessage(rule);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Evaluations.requireRoom(251, Long.MAX_VALUE, 4000))
                .withMessage(rule);
    }

    @Test
    void settingsThatDoNotFitAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> trainer.servers(2).redundancy(Redundancy.coded(2)).train(samples(2)))
                .withMessageContaining("use more servers or a smaller k");
        assertThatIllegalArgumentException().isThrownBy(trainer::check).withMessageContaining("use more servers");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.epochs(0))
                .withMessage("epochs must be at least 1, got 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.interval(Duration.ofNanos(999_999)))
                .withMessage("interval must be at least 1 ms, got 0 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trainer.initialRows(new InitialRows(1, 3, 1)))
                .withMessage("initial rows must have 4 numbers, got 3");
    }
}
