/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.inference.recommend.train.TrainingEvent.Kind;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.table.Redundancy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.util.Progressable;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints in a file system that cannot be written for a while. */
class CheckpointOutageTest {
    private static final int SAMPLES = 600;
    private static final Tables TABLES = Tables.of(50);
    private static final DlrmShape SHAPE =
            new DlrmShape(2, List.of(4), TABLES, 4, Interaction.CONCATENATION, List.of(4));

    private static final Semaphore TOLD = new Semaphore(0);
    private static final AtomicBoolean READ = new AtomicBoolean();
    private static final AtomicInteger MANIFESTS = new AtomicInteger();

    @TempDir
    private Path home;

    @Test
    @Timeout(240)
    void aTrainingOutlastsIt() throws InterruptedException {
        Path folder = home.resolve("checkpoints");
        try (Training training = RecommendationTrainer.of(SHAPE)
                .servers(2)
                .redundancy(Redundancy.replicated())
                .options(HostOptions.DEFAULT.withSpares(0))
                .batch(1)
                .checkpoints(CheckpointPolicy.everyBatches(folder.toUri().toString(), 1))
                .listener(new Outage(folder))
                .train(new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(LocalSpark.session(), 0, SAMPLES, 1))) {
            assertThat(training.curve().losses()).hasSize(SAMPLES);
            assertThat(training.curve().events())
                    .filteredOn(event -> event.kind() == Kind.CHECKPOINT_FAILED)
                    .singleElement()
                    .satisfies(event ->
                            assertThat(event.text()).startsWith("no checkpoint is written: Parent path is not"));
            assertThat(training.curve().events())
                    .filteredOn(event -> event.kind() == Kind.CHECKPOINT_WRITTEN)
                    .hasSizeGreaterThan(1);
        }
    }

    /** The client of a file system starts threads, too. */
    @Test
    @Timeout(240)
    void aTrainingOutlastsACheckpointForWhichThereIsNoThread() throws InterruptedException {
        outlasts("threadless", ThreadlessFiles.class, "unable to create native thread: thrown on purpose");
    }

    /** Hadoop throws an error, not an exception, where a local disk is full. */
    @Test
    @Timeout(240)
    @EnabledOnOs(OS.LINUX)
    void aTrainingOutlastsAFullDisk() throws InterruptedException {
        outlasts("crowded", CrowdedFiles.class, "No space left on device");
    }

    /** One checkpoint fails, and the training goes on. */
    private void outlasts(String scheme, Class<? extends FileSystem> files, String reason) throws InterruptedException {
        SparkSession spark = LocalSpark.session();
        spark.sparkContext().hadoopConfiguration().setClass("fs." + scheme + ".impl", files, FileSystem.class);
        MANIFESTS.set(0);
        try (Training training = RecommendationTrainer.of(SHAPE)
                .servers(1)
                .redundancy(Redundancy.none())
                .options(HostOptions.DEFAULT.withSpares(0))
                .batch(1)
                .checkpoints(CheckpointPolicy.everyBatches(scheme + ":" + home, 1))
                .train(new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(spark, 0, SAMPLES, 1))) {
            assertThat(training.curve().events())
                    .filteredOn(event -> event.kind() == Kind.CHECKPOINT_FAILED)
                    .singleElement()
                    .satisfies(event -> assertThat(event.text()).isEqualTo("no checkpoint is written: " + reason));
            assertThat(training.curve().losses()).hasSize(SAMPLES);
        }
    }

    /** It would train on without ever writing one. */
    @Test
    @Timeout(240)
    void aTrainingFailsWhereTheHeapIsTooSmallForACheckpoint() {
        SparkSession spark = LocalSpark.session();
        spark.sparkContext().hadoopConfiguration().setClass("fs.full.impl", FullHeapFiles.class, FileSystem.class);
        MANIFESTS.set(0);
        assertThatThrownBy(() -> RecommendationTrainer.of(SHAPE)
                        .servers(1)
                        .redundancy(Redundancy.none())
                        .options(HostOptions.DEFAULT.withSpares(0))
                        .batch(1)
                        .checkpoints(CheckpointPolicy.everyBatches("full:" + home, 1))
                        .train(new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(spark, 0, SAMPLES, 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cannot write a checkpoint to full:" + home
                        + ": java.lang.OutOfMemoryError: Java heap space: thrown on purpose");
    }

    /** The driver can make the folder, and the servers no file in it. */
    @Test
    @Timeout(240)
    void aTrainingWhoseFirstOneServersCannotWriteFails() {
        SparkSession spark = LocalSpark.session();
        spark.sparkContext().hadoopConfiguration().setClass("fs.refused.impl", RefusedFiles.class, FileSystem.class);
        List<Kind> events = new ArrayList<>();
        TrainingListener listener = new TrainingListener() {
            @Override
            public void event(TrainingEvent event) {
                events.add(event.kind());
            }
        };
        assertThatThrownBy(() -> RecommendationTrainer.of(SHAPE)
                        .servers(1)
                        .redundancy(Redundancy.none())
                        .options(HostOptions.DEFAULT.withSpares(0))
                        .checkpoints(CheckpointPolicy.everyBatches("refused:" + home, 1))
                        .listener(listener)
                        .train(new GeneratedClicks(TABLES, 2, 2, 1, 1).samples(spark, 0, SAMPLES, 1)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageStartingWith("cannot write a checkpoint to refused:" + home)
                .hasMessageContaining("no server may create");
        assertThat(events).containsExactly(Kind.CHECKPOINT_BEGUN);
    }

    /** A server that is lost meanwhile is noticed, and whoever waits sees that the training lives. */
    @Test
    @Timeout(240)
    void progressIsToldWhileACheckpointIsWrittenAndAModelEvaluated() throws InterruptedException {
        SparkSession spark = LocalSpark.session();
        spark.sparkContext().hadoopConfiguration().setClass("fs.awaited.impl", AwaitedFiles.class, FileSystem.class);
        GeneratedClicks clicks = new GeneratedClicks(TABLES, 2, 2, 1, 1);
        TrainingListener listener = new TrainingListener() {
            @Override
            public void progress(TrainingProgress progress) {
                TOLD.release();
            }
        };
        READ.set(false);
        try (Training training = RecommendationTrainer.of(SHAPE)
                .servers(1)
                .redundancy(Redundancy.none())
                .options(HostOptions.DEFAULT.withSpares(0))
                .interval(Duration.ofMillis(50))
                .checkpoints(CheckpointPolicy.everyBatches("awaited:" + home, 1_000_000))
                .evaluation(
                        clicks.samples(spark, 0, 20, 1)
                                .mapPartitions(
                                        (MapPartitionsFunction<Row, Row>) CheckpointOutageTest::whenTold,
                                        Encoders.row(Samples.SCHEMA)),
                        1)
                .listener(listener)
                .train(clicks.samples(spark, 0, SAMPLES, 1))) {
            assertThat(training.evaluations()).hasSize(1);
        }
    }

    private static void awaitProgress() throws InterruptedException {
        TOLD.drainPermits();
        TOLD.acquire(3);
    }

    /** They are read once before the training. */
    private static Iterator<Row> whenTold(Iterator<Row> rows) throws InterruptedException {
        if (READ.getAndSet(true)) {
            awaitProgress();
        }
        return rows;
    }

    /** Files of a scheme of a test's own, which does something before each is created. */
    abstract static class WatchedFiles extends RawLocalFileSystem {
        private final String scheme;

        WatchedFiles(String scheme) {
            this.scheme = scheme;
        }

        /** Before a file is created. */
        abstract void creating(org.apache.hadoop.fs.Path file) throws IOException;

        @Override
        public URI getUri() {
            return URI.create(scheme + ":///");
        }

        @Override
        public FSDataOutputStream create(
                org.apache.hadoop.fs.Path file,
                boolean overwrite,
                int buffer,
                short replication,
                long block,
                Progressable progress)
                throws IOException {
            creating(file);
            return super.create(file, overwrite, buffer, replication, block, progress);
        }
    }

    /** Files, of which those of servers are created when the training has told its progress. */
    static final class AwaitedFiles extends WatchedFiles {
        AwaitedFiles() {
            super("awaited");
        }

        @Override
        void creating(org.apache.hadoop.fs.Path file) throws IOException {
            if (file.getName().startsWith("server-")) {
                try {
                    awaitProgress();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        }
    }

    /** Files, of which the driver's one for the second checkpoint lacks something. */
    abstract static class LackingFiles extends WatchedFiles {
        private final String lack;

        LackingFiles(String scheme, String lack) {
            super(scheme);
            this.lack = lack;
        }

        @Override
        void creating(org.apache.hadoop.fs.Path file) {
            if (file.getName().equals("_manifest") && MANIFESTS.incrementAndGet() == 2) {
                throw new OutOfMemoryError(lack + ": thrown on purpose");
            }
        }
    }

    /** Files, for the second of which there is no thread. */
    static final class ThreadlessFiles extends LackingFiles {
        ThreadlessFiles() {
            super("threadless", "unable to create native thread");
        }
    }

    /** Files, for the second of which the driver's heap is too small. */
    static final class FullHeapFiles extends LackingFiles {
        FullHeapFiles() {
            super("full", "Java heap space");
        }
    }

    /** Files, of which the driver's one for the second checkpoint is on a full disk. Linux has a file whose disk always is. */
    static final class CrowdedFiles extends WatchedFiles {
        CrowdedFiles() {
            super("crowded");
        }

        @Override
        void creating(org.apache.hadoop.fs.Path file) throws IOException {
            if (file.getName().equals("_manifest") && MANIFESTS.incrementAndGet() == 2) {
                try (FSDataOutputStream full = append(new org.apache.hadoop.fs.Path("/dev/full"))) {
                    full.write(1);
                }
            }
        }
    }

    /** Files, of which those of servers may not be created. */
    static final class RefusedFiles extends WatchedFiles {
        RefusedFiles() {
            super("refused");
        }

        @Override
        void creating(org.apache.hadoop.fs.Path file) throws IOException {
            if (file.getName().startsWith("server-")) {
                throw new IOException("no server may create " + file);
            }
        }
    }

    /** After the first checkpoint, a file is in the place of the folder until a checkpoint has failed. */
    private record Outage(Path folder) implements TrainingListener {
        @Override
        public void event(TrainingEvent event) {
            try {
                Path aside = folder.resolveSibling("aside");
                if (event.kind() == Kind.CHECKPOINT_WRITTEN && !Files.exists(aside)) {
                    Files.move(folder, aside);
                    Files.createFile(folder);
                } else if (event.kind() == Kind.CHECKPOINT_FAILED) {
                    Files.delete(folder);
                    Files.createDirectory(folder);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
