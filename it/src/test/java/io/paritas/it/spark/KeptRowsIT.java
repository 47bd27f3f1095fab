/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.it.Await;
import io.paritas.it.Seeded;
import io.paritas.spark.ec.ErasureCoded;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What queries and programs do with rows that are kept erasure-coded, while executors go. */
@Order(SparkClusters.KEPT)
@Tag(SparkClusters.SHARED)
class KeptRowsIT {
    private static final int PARTITIONS = 15;
    /** Above the patience, and below the two minutes after which Spark gives up who does not answer. */
    private static final Duration LIMIT = Duration.ofSeconds(100);

    @RegisterExtension
    static final SparkClusters SPARK = CodedClusters.shared();

    @TempDir
    Path folder;

    private SparkSession session;
    private Gate open;
    private Gate gate;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(CodedClusters.SETTINGS);
        open = Gate.in(folder);
        open.open();
        gate = Gate.in(folder);
    }

    @Test
    void partitionsMayBeEqual() {
        try (Kept kept = keep(Lineage.NARROW)) {
            assertThat(kept.health().parityBytes() * CodedClusters.K)
                    .isEqualTo(kept.health().dataBytes() * CodedClusters.R);
            assertThat(kept.health().stripes()).isEqualTo(PARTITIONS / CodedClusters.K);
        }
    }

    @Test
    void partitionsMayBeOfAnySizeAndNumber() throws Exception {
        List<Dataset<Long>> all = List.of(
                session.range(0, 15_000, 1, 8).where("id % 1875 < (id div 1875) * (id div 1875) * 30"),
                session.range(0, 100, 1, 1),
                session.range(0, 100, 1, 2),
                session.range(0, 100, 1, 40),
                session.range(0, 100, 1, 4).where("id < 0"),
                session.emptyDataset(Encoders.LONG()).as(Encoders.LONG()));
        List<Dataset<Long>> kept = all.stream()
                .map(rows -> ErasureCoded.persist(rows, CodedClusters.CODE))
                .toList();
        assertThat(ErasureCoded.health(kept.get(1)).overhead()).isEqualTo(1.0 + CodedClusters.R);

        CodedClusters.kill(SPARK, List.of(3, 1));

        for (int i = 0; i < all.size(); i++) {
            assertThat(Lineage.sorted(kept.get(i).collectAsList()))
                    .isEqualTo(all.get(i).collectAsList());
        }
        kept.forEach(ErasureCoded::unpersist);
    }

    /** What hides its lineage is on the driver, which runs no tasks. */
    @Test
    void noTaskWaitsForTheDriver() {
        SparkConf conf = session.sparkContext().conf();
        Dataset<Long> kept = ErasureCoded.persist(
                session.range(0, 100, 1, PARTITIONS).where("id < 90").as(Encoders.LONG()), CodedClusters.CODE);
        String before = conf.get("spark.locality.wait");
        conf.set("spark.locality.wait", "120s");
        try {
            long start = System.nanoTime();
            assertThat(kept.count()).isEqualTo(90);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
        } finally {
            conf.set("spark.locality.wait", before);
            ErasureCoded.unpersist(kept);
        }
    }

    /**
     * Three executors with more than half of all units: some stripe has lost three of its four. Two executors keep four units of a stripe,
     * so that one of them may go before the others are back.
     */
    @Test
    void whatIsLostWithTooManyExecutorsIsComputedAgainAndKept() throws Exception {
        Lineage lineage = Lineage.values()[Seeded.random("too many").nextInt(2)];
        try (Kept kept = Kept.of(session, lineage, 30, "rs-2-2", open)) {
            List<ExecutorProcess> fullest = fullest();
            CodedClusters.kill(fullest.subList(0, 3));
            kept.check();
            assertThat(kept.recomputed()).isPositive();
            kept.awaitWhole();
            kept.check();
            long before = kept.computed().value();

            SPARK.session(CodedClusters.SETTINGS);
            fullest.get(3).kill();

            kept.check();
            kept.awaitWhole();
            assertThat(kept.computed().value()).isEqualTo(before);
        }
    }

    /** The executors, that with the most units first. */
    private static List<ExecutorProcess> fullest() {
        return Arrays.stream(SparkEnv.get().blockManager().master().getStorageStatus())
                .filter(status -> !status.blockManagerId().isDriver())
                .sorted(Comparator.comparing(status -> -status.rddBlocks().size()))
                .map(status -> SPARK.executor(status.blockManagerId().executorId()))
                .toList();
    }

    /** It is busy with another task, so that nothing is asked of it but units. */
    @Test
    void nobodyWaitsForTheUnitsOfAFrozenExecutor() throws Exception {
        try (Kept kept = keepOnAll()) {
            CompletableFuture<List<Long>> busy = CompletableFuture.supplyAsync(() -> session.range(0, 1, 1, 1)
                    .mapPartitions(gate.rows(), Encoders.LONG())
                    .collectAsList());
            gate.awaitWaiting(1);
            ExecutorProcess frozen = SPARK.executor(gate.waiting().get(0));
            Duration took;
            frozen.freeze();
            try {
                long start = System.nanoTime();
                kept.check();
                took = Duration.ofNanos(System.nanoTime() - start);
            } finally {
                frozen.thaw();
                gate.open();
            }

            assertThat(took).isLessThan(LIMIT);
            assertThat(kept.metrics().decoded().value()).isPositive();
            kept.checkNothingRecomputed();
            assertThat(busy.get()).containsExactly(0L);
            kept.check();
            kept.checkNothingRecomputed();
        }
    }

    @Test
    void jobsMayRunAtTheSameTime() throws Exception {
        try (Kept kept = keep(Lineage.SHUFFLED)) {
            Dataset<Long> held = kept.rows().mapPartitions(gate.rows(), Encoders.LONG());
            List<CompletableFuture<List<Long>>> jobs = new ArrayList<>();
            jobs.add(CompletableFuture.supplyAsync(held::collectAsList));
            jobs.add(CompletableFuture.supplyAsync(
                    () -> held.repartition(3).union(kept.rows().limit(0)).collectAsList()));
            jobs.add(CompletableFuture.supplyAsync(() -> kept.rows()
                    .join(held.withColumnRenamed("value", "same"), col("value").equalTo(col("same")))
                    .select("same")
                    .as(Encoders.LONG())
                    .collectAsList()));
            gate.awaitWaiting(CodedClusters.EXECUTORS);
            CodedClusters.kill(SPARK, List.of(2));
            gate.open();

            for (CompletableFuture<List<Long>> job : jobs) {
                kept.check(job.get());
            }
            kept.checkNothingRecomputed();
        }
    }

    @ParameterizedTest(name = "adaptive {0}")
    @ValueSource(booleans = {true, false})
    void areJoinedAndWrittenAsParquet(boolean adaptive) throws Exception {
        session.conf().set("spark.sql.adaptive.enabled", adaptive);
        session.conf().set("spark.sql.autoBroadcastJoinThreshold", adaptive ? 10 << 20 : -1);
        try (Kept kept = keep(Lineage.SHUFFLED)) {
            String table = folder.resolve("table").toString();
            Dataset<Long> held = kept.rows().mapPartitions(gate.rows(), Encoders.LONG());
            CompletableFuture<Void> writing = CompletableFuture.runAsync(
                    () -> held.join(kept.rows(), "value").write().parquet(table));
            gate.awaitWaiting(1);
            CodedClusters.kill(SPARK, List.of(1, 4));
            gate.open();
            writing.get();

            kept.check(session.read().parquet(table).as(Encoders.LONG()).collectAsList());
            kept.checkNothingRecomputed();
        }
    }

    @Test
    void nothingIsLeftWhenTheyAreDroppedDuringRepair() throws Exception {
        Kept kept = keep(Lineage.NARROW);
        CompletableFuture<Void> repairing = CodedClusters.started(session.sparkContext(), "repair");
        CodedClusters.kill(SPARK, List.of(0));
        repairing.get();

        kept.close();

        Await.until("no blocks are left", () -> Leftovers.blocks().isEmpty(), Leftovers::blocks);
    }

    /** Rows of which each executor has a partition, whichever got tasks first. */
    private Kept keepOnAll() throws Exception {
        Gate all = Gate.in(folder);
        CompletableFuture<Kept> keeping = CompletableFuture.supplyAsync(
                () -> Kept.of(session, Lineage.SHUFFLED, PARTITIONS, CodedClusters.CODE, all));
        all.awaitWaiting(CodedClusters.EXECUTORS);
        all.open();
        return keeping.get();
    }

    private Kept keep(Lineage lineage) {
        return Kept.of(session, lineage, PARTITIONS, CodedClusters.CODE, open);
    }
}
