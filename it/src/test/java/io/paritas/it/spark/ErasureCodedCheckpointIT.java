/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCodedCheckpoint;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Executors write unit files into five directories, some of them twice, and are killed; then directories are lost. */
@Order(SparkClusters.UNREPAIRED)
@Tag(SparkClusters.SHARED)
class ErasureCodedCheckpointIT {
    private static final int PARTITIONS = 8;

    @RegisterExtension
    static final SparkClusters SPARK = CodedClusters.shared();

    @TempDir
    Path folder;

    private SparkSession session;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(CodedClusters.UNREPAIRED);
    }

    @Test
    void survivesKilledExecutorsAndLostDirectories() throws Exception {
        List<String> directories = IntStream.range(0, CodedClusters.EXECUTORS)
                .mapToObj(i -> folder.resolve("disk" + i).toString())
                .toList();
        LongAccumulator computed = session.sparkContext().longAccumulator();
        // The first ones are done when the others wait: those are late, and get a second attempt.
        Gate gate = Gate.in(folder, PARTITIONS - 3);
        Dataset<Long> rows = Lineage.SHUFFLED.rows(session, PARTITIONS, gate, computed);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(rows, directories));
        gate.awaitWaiting(CodedClusters.EXECUTORS);
        CodedClusters.kill(SPARK, List.of(0, 3));
        gate.open();
        writing.get();

        delete(Path.of(directories.get(1)));
        delete(Path.of(directories.get(2)));
        SPARK.session(CodedClusters.UNREPAIRED);
        assertThat(read(directories)).isEqualTo(Lineage.SHUFFLED.expected());

        assertThat(ErasureCodedCheckpoint.repair(session, directories)).isNotEmpty();
        assertThat(ErasureCodedCheckpoint.verify(session, directories)).isEmpty();
        delete(Path.of(directories.get(0)));
        delete(Path.of(directories.get(4)));
        assertThat(read(directories)).isEqualTo(Lineage.SHUFFLED.expected());
    }

    @Test
    void isReadWhileExecutorsAreKilled() throws Exception {
        List<String> directories = IntStream.range(0, CodedClusters.EXECUTORS)
                .mapToObj(i -> folder.resolve("disk" + i).toString())
                .toList();
        Gate open = Gate.in(folder);
        open.open();
        write(
                Lineage.NARROW.rows(
                        session, PARTITIONS, open, session.sparkContext().longAccumulator()),
                directories);
        delete(Path.of(directories.get(3)));

        Gate gate = Gate.in(folder);
        Dataset<Long> held = ErasureCodedCheckpoint.read(session, directories)
                .as(Encoders.LONG())
                .mapPartitions(gate.rows(), Encoders.LONG());
        CompletableFuture<List<Long>> reading = CompletableFuture.supplyAsync(held::collectAsList);
        gate.awaitWaiting(CodedClusters.EXECUTORS);
        CodedClusters.kill(SPARK, List.of(1, 2, 4));
        gate.open();

        assertThat(Lineage.sorted(reading.get(1, TimeUnit.MINUTES))).isEqualTo(Lineage.NARROW.expected());
    }

    private static void write(Dataset<Long> rows, List<String> directories) {
        try {
            ErasureCodedCheckpoint.write(rows, CodedClusters.CODE, directories);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Long> read(List<String> directories) throws IOException {
        return Lineage.sorted(ErasureCodedCheckpoint.read(session, directories)
                .as(Encoders.LONG())
                .collectAsList());
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
        assertThat(directory).doesNotExist();
    }
}
