/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.RpcUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Spark registers its fallback storage as if it were an executor. */
class ApplicationExecutorsTest {
    @TempDir
    static Path storage;

    private static SparkSession spark;
    private static BlockManagerId driver;

    @BeforeAll
    static void start() {
        spark = PluginSession.start(PluginSession.builder()
                .config(
                        "spark.storage.decommission.fallbackStorage.path",
                        storage.toUri().toString()));
        driver = SparkEnv.get().blockManager().blockManagerId();
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    @Test
    void theFallbackStorageIsNone() {
        var managers = CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet();
        assertThat(managers).extracting(BlockManagerId::executorId).containsExactlyInAnyOrder("driver", "fallback");

        assertThat(ApplicationExecutors.all()).isEmpty();
        assertThat(ApplicationExecutors.staying()).isEmpty();
        assertThat(ApplicationExecutors.allOrDriver()).containsExactly(driver);
    }

    @Test
    void theDriverIsNone() {
        BlockManagerId executor = BlockManagerId.apply("1", "localhost", 1, Option.empty());

        assertThat(ApplicationExecutors.among(List.of(driver, executor))).containsExactly(executor);
    }

    /** Spark tells an executor to leave, and refuses blocks for it from then on. */
    @Test
    void whoIsToldToLeaveDoesNotStay() {
        var master = SparkEnv.get().blockManager().master();
        BlockManagerId leaving = BlockManagerId.apply("7", "localhost", 1, Option.empty());
        BlockManagerId staying = BlockManagerId.apply("8", "localhost", 2, Option.empty());
        // An endpoint that knows none of the messages for executors.
        var deaf = RpcUtils.makeDriverRef(
                "MapOutputTracker", SparkEnv.get().conf(), SparkEnv.get().rpcEnv());
        try {
            for (BlockManagerId manager : List.of(leaving, staying)) {
                master.registerBlockManager(manager, new String[0], 1, 1, deaf, false);
            }
            assertThat(ApplicationExecutors.staying()).containsExactlyInAnyOrder(leaving, staying);

            master.decommissionBlockManagers(
                    CollectionConverters.asScala(List.of("7")).toSeq());

            assertThat(ApplicationExecutors.staying()).containsExactly(staying);
            assertThat(ApplicationExecutors.stayingOrAny()).containsExactly(staying);
            assertThat(ApplicationExecutors.all()).containsExactlyInAnyOrder(leaving, staying);

            master.decommissionBlockManagers(
                    CollectionConverters.asScala(List.of("8")).toSeq());

            assertThat(ApplicationExecutors.staying()).isEmpty();
            assertThat(ApplicationExecutors.stayingOrAny()).containsExactlyInAnyOrder(leaving, staying);
        } finally {
            master.removeExecutor("7");
            master.removeExecutor("8");
        }
        assertThat(ApplicationExecutors.stayingOrAny()).containsExactly(driver);
    }

    @Test
    void itGetsNoParity() {
        Dataset<Long> kept = ErasureCoded.persist(spark.range(0, 1_000, 1, 4), "rs-4-1");

        assertThat(ErasureCoded.health(kept).missingUnits()).isZero();
        ErasureCoded.unpersist(kept);
    }
}
