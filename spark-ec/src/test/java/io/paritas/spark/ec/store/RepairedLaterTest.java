/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.JobArtifactSet;
import org.apache.spark.JobArtifactState;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** What repair in the background does, which was started by the first job that kept rows. */
class RepairedLaterTest {
    /** Of the tasks that have computed rows: each session has one. */
    private static final Set<ClassLoader> LOADERS = ConcurrentHashMap.newKeySet();

    private SparkSession spark;

    @BeforeEach
    void start() {
        spark = PluginSession.start(PluginSession.builder().config("spark.paritas.ec.repair.interval", "100ms"));
    }

    @AfterEach
    void stop() {
        spark.stop();
    }

    @Test
    void aCancelledGroupOfJobsDoesNotEndRepair() throws Exception {
        spark.sparkContext().setJobGroup("first", "the first job", true);
        Dataset<Long> kept = ErasureCoded.persist(spark.range(0, 100, 1, 4), "rs-4-2");
        spark.sparkContext().cancelJobGroupAndFutureJobs("first", "not needed any more");
        spark.sparkContext().clearJobGroup();

        lose(kept, 2);

        awaitWhole(kept);
        ErasureCoded.unpersist(kept);
    }

    @Test
    void rowsAreComputedAgainWithTheSettingsOfTheirQuery() throws Exception {
        ErasureCoded.unpersist(ErasureCoded.persist(spark.range(1), "rs-1-1"));
        spark.conf().set("spark.sql.legacy.timeParserPolicy", "LEGACY");
        Dataset<Row> rows = spark.range(0, 100, 1, 4)
                .selectExpr("to_date('2020-1-' || (id % 9 + 1) || ' x', IF(id < 1000, 'yyyy-MM-dd', 'yyyy')) AS day");
        Dataset<Row> kept = ErasureCoded.persist(rows, "rs-4-2");

        lose(kept, 4);

        awaitWhole(kept);
        assertThat(kept.collectAsList()).isEqualTo(rows.collectAsList());
        ErasureCoded.unpersist(kept);
    }

    /** Their classes may be known to it only. */
    @Test
    void rowsAreComputedAgainInTheSessionOfTheirQuery() throws Exception {
        ErasureCoded.unpersist(ErasureCoded.persist(spark.range(1), "rs-1-1"));
        Dataset<Long> rows = spark.range(0, 100, 1, 4)
                .map(
                        (MapFunction<Long, Long>) row -> {
                            LOADERS.add(Thread.currentThread().getContextClassLoader());
                            return row;
                        },
                        Encoders.LONG());
        Dataset<Long> kept = JobArtifactSet.withActiveJobArtifactState(
                new JobArtifactState("a session", Option.empty()), () -> ErasureCoded.persist(rows, "rs-4-2"));
        Set<ClassLoader> first = Set.copyOf(LOADERS);
        LOADERS.clear();

        lose(kept, 4);

        awaitWhole(kept);
        assertThat(LOADERS).isEqualTo(first).hasSize(1);
        ErasureCoded.unpersist(kept);
    }

    /** It does not wait for the next look, which is an hour away. */
    @Test
    void theLossOfAnExecutorBeginsIt() throws Exception {
        spark.stop();
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.paritas.ec.repair.interval", "1h")
                .config("spark.paritas.ec.repair.delay", "1ms"));
        Dataset<Long> kept = ErasureCoded.persist(spark.range(0, 100, 1, 4), "rs-4-2");
        SecondExecutor second = new SecondExecutor();
        lose(kept, 1);
        assertThat(store(kept).health().missingUnits()).isEqualTo(1);

        second.close();

        awaitWhole(kept);
        ErasureCoded.unpersist(kept);
    }

    private static ErasureCodedStore<?> store(Dataset<?> kept) {
        return ErasureCodedDatasets.store(kept).orElseThrow();
    }

    private static void lose(Dataset<?> kept, int partitions) {
        IntStream.range(0, partitions).forEach(partition -> new UnitStore()
                .remove(new RDDBlockId(store(kept).rdd().id(), partition)));
    }

    private static void awaitWhole(Dataset<?> kept) throws InterruptedException {
        for (int wait = 0; wait < 100 && store(kept).health().missingUnits() > 0; wait++) {
            Thread.sleep(100);
        }
        assertThat(store(kept).health().missingUnits()).isZero();
    }

    @Test
    void parityOfStripesThatAreFormedAgainIsDropped() throws Exception {
        Dataset<Long> kept = ErasureCoded.persist(spark.range(0, 100, 1, 4), "rs-4-2");
        Set<String> units = blocks(kept);
        String data = "rdd_" + store(kept).rdd().id() + "_";
        Set<String> parity =
                units.stream().filter(unit -> !unit.startsWith(data)).collect(Collectors.toSet());
        lose(kept, 3);
        awaitWhole(kept);
        for (int wait = 0; wait < 100 && !Collections.disjoint(blocks(kept), parity); wait++) {
            Thread.sleep(100);
        }
        assertThat(blocks(kept)).hasSameSizeAs(units).doesNotContainAnyElementsOf(parity);
        ErasureCoded.unpersist(kept);
    }

    private static Set<String> blocks(Dataset<?> kept) {
        int rdd = store(kept).rdd().id();
        return CollectionConverters.asJava(SparkEnv.get()
                        .blockManager()
                        .master()
                        .getMatchingBlockIds(
                                block -> block instanceof RDDBlockId unit
                                        && (unit.rddId() == rdd || unit.rddId() == rdd + 1),
                                true))
                .stream()
                .map(BlockId::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
