/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.it.LongTest;
import io.paritas.it.Seeded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** As many executors as the code allows are killed, at any time: all rows are there, and none is computed again. */
@Order(SparkClusters.KEPT)
@Tag(SparkClusters.SHARED)
class LostExecutorsIT {
    private static final int PARTITIONS = 15;

    /** Of ten pairs, for each time at which they are lost; others in each run. */
    private static final int PAIRS = Integer.getInteger("io.paritas.test.losses", 1);

    /** Of five executors: less is lost than with a pair of them. */
    private static final int SINGLES = Boolean.getBoolean(LongTest.PROPERTY) ? PAIRS : 0;

    @RegisterExtension
    static final SparkClusters SPARK = CodedClusters.shared();

    @TempDir
    Path folder;

    private SparkSession session;
    private Gate open;

    @BeforeEach
    void start() throws Exception {
        session = SPARK.session(CodedClusters.SETTINGS);
        open = Gate.in(folder);
        open.open();
    }

    /** Some pairs, and perhaps as many single executors, with one lineage or the other. */
    static Stream<Arguments> losses(String purpose) {
        Random random = Seeded.random(purpose);
        List<List<Integer>> pairs = new ArrayList<>(IntStream.range(0, CodedClusters.EXECUTORS)
                .boxed()
                .flatMap(a -> IntStream.range(0, a).mapToObj(b -> List.of(a, b)))
                .toList());
        Collections.shuffle(pairs, random);
        List<List<Integer>> singles = new ArrayList<>(
                IntStream.range(0, CodedClusters.EXECUTORS).mapToObj(List::of).toList());
        Collections.shuffle(singles, random);
        return Stream.concat(singles.stream().limit(SINGLES), pairs.stream().limit(PAIRS))
                .map(lost -> Arguments.of(lost, Lineage.values()[random.nextInt(2)]));
    }

    static Stream<Arguments> whileStored() {
        return losses("stored");
    }

    /** What is stored already is lost, or what is being computed. */
    @ParameterizedTest(name = "executors {0}, {1}")
    @MethodSource
    void whileStored(List<Integer> lost, Lineage lineage) throws Exception {
        int done = Seeded.random("done" + lost).nextInt(PARTITIONS - CodedClusters.EXECUTORS + 1);
        Gate gate = Gate.in(folder, done);
        CompletableFuture<Kept> keeping = CompletableFuture.supplyAsync(() -> keep(lineage, gate));
        gate.awaitWaiting(CodedClusters.EXECUTORS);
        CodedClusters.kill(SPARK, lost);
        gate.open();

        try (Kept kept = keeping.get()) {
            check(kept);
        }
    }

    static Stream<Arguments> whileParityIsMade() {
        return losses("parity");
    }

    @ParameterizedTest(name = "executors {0}, {1}")
    @MethodSource
    void whileParityIsMade(List<Integer> lost, Lineage lineage) throws Exception {
        CompletableFuture<Void> killed = CodedClusters.started(session.sparkContext(), "make the parity of")
                .thenRun(() -> CodedClusters.kill(SPARK, lost));

        try (Kept kept = keep(lineage, open)) {
            killed.get();
            check(kept);
        }
    }

    static Stream<Arguments> beforeTheyAreRead() {
        return losses("before");
    }

    @ParameterizedTest(name = "executors {0}, {1}")
    @MethodSource
    void beforeTheyAreRead(List<Integer> lost, Lineage lineage) throws Exception {
        try (Kept kept = keep(lineage, open)) {
            assertThat(kept.health().survives()).isEqualTo(CodedClusters.R);
            CodedClusters.kill(SPARK, lost);

            check(kept);
        }
    }

    static Stream<Arguments> whileTheyAreRead() {
        return losses("read");
    }

    @ParameterizedTest(name = "executors {0}, {1}")
    @MethodSource
    void whileTheyAreRead(List<Integer> lost, Lineage lineage) throws Exception {
        try (Kept kept = keep(lineage, open)) {
            Gate gate = Gate.in(folder);
            Dataset<Long> held = kept.rows().mapPartitions(gate.rows(), Encoders.LONG());
            CompletableFuture<List<Long>> reading = CompletableFuture.supplyAsync(held::collectAsList);
            gate.awaitWaiting(CodedClusters.EXECUTORS);
            CodedClusters.kill(SPARK, lost);
            gate.open();

            kept.check(reading.get());
            check(kept);
        }
    }

    static Stream<Arguments> whileOneIsRepaired() {
        return losses("repair").skip(Math.min(SINGLES, CodedClusters.EXECUTORS));
    }

    @ParameterizedTest(name = "executors {0}, {1}")
    @MethodSource
    void whileOneIsRepaired(List<Integer> lost, Lineage lineage) throws Exception {
        try (Kept kept = keep(lineage, open)) {
            List<ExecutorProcess> executors = SPARK.executors();
            CompletableFuture<Void> killed =
                    CodedClusters.started(session.sparkContext(), "repair").thenRun(executors.get(lost.get(1))::kill);
            executors.get(lost.get(0)).kill();
            killed.get();

            check(kept);
        }
    }

    private Kept keep(Lineage lineage, Gate gate) {
        return Kept.of(session, lineage, PARTITIONS, CodedClusters.CODE, gate);
    }

    private static void check(Kept kept) throws Exception {
        kept.check();
        kept.awaitWhole();
        kept.check();
        kept.checkNothingRecomputed();
    }
}
