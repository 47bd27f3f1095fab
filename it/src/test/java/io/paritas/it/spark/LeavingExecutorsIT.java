/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.it.Await;
import io.paritas.spark.ParitasPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.StorageStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Executors that Spark sends away. */
class LeavingExecutorsIT {
    private static final int PARTITIONS = 15;

    /** Who is idle leaves: not while five JVMs start on a slow machine, of which the first ones wait for the last one. */
    private static final int IDLE_SECONDS = 30;

    @RegisterExtension
    static final SparkClusters SPARK = CodedClusters.shared();

    @TempDir
    Path folder;

    /** They give their blocks away first, units among them: more may leave at once than a stripe could lose. */
    @Test
    void takeNothingAlongWhenTheyAreDecommissioned() throws Exception {
        Map<String, String> settings = with(CodedClusters.UNREPAIRED, "spark.decommission.enabled");
        settings.put("spark.plugins", ParitasPlugin.class.getName());
        settings.put("spark.storage.decommission.replicationReattemptInterval", "1s");
        SparkSession session = SPARK.session(settings);
        try (Kept kept = Kept.of(session, Lineage.SHUFFLED, PARTITIONS, CodedClusters.CODE, gate())) {
            List<String> leaving = executors().subList(0, CodedClusters.R + 1);
            leaving.forEach(executor -> decommission(session, executor));
            Await.until(
                    leaving + " have left",
                    () -> executors().stream().noneMatch(leaving::contains),
                    LeavingExecutorsIT::executors);

            kept.check();

            kept.checkNothingRecomputed();
            assertThat(kept.health().missingUnits()).isZero();
            assertThat(kept.metrics().decoded().value()).isZero();
        }
    }

    static void decommission(SparkSession session, String executor) {
        ExecutorAllocationClient client =
                (ExecutorAllocationClient) session.sparkContext().schedulerBackend();
        client.decommissionExecutor(
                executor, ExecutorDecommissionInfo.apply("a test wants it", Option.empty()), false, false);
    }

    /** Executors that have units do not count as idle, as for any cached data. */
    @Test
    void stayWhileTheyHaveUnits() throws Exception {
        Map<String, String> settings = with(CodedClusters.SETTINGS, "spark.dynamicAllocation.enabled");
        settings.put("spark.dynamicAllocation.initialExecutors", Integer.toString(CodedClusters.EXECUTORS));
        settings.put("spark.dynamicAllocation.executorIdleTimeout", IDLE_SECONDS + "s");
        settings.put("spark.executor.cores", "1");
        settings.put("spark.dynamicAllocation.shuffleTracking.timeout", "1s");
        SparkSession session = SPARK.session(settings);
        try (Kept kept = Kept.of(session, Lineage.NARROW, PARTITIONS, CodedClusters.CODE, gate())) {
            assertThat(leavingBy(session, Duration.ofDays(1))).isEmpty();
            assertThat(executors()).hasSize(CodedClusters.EXECUTORS);

            kept.check();

            kept.checkNothingRecomputed();
        }
        Await.until(
                "all are to leave",
                () -> leavingBy(session, Duration.ofSeconds(IDLE_SECONDS)).equals(executors()),
                LeavingExecutorsIT::executors);
    }

    /** Those that Spark sends away if nothing happens for so long. */
    private static List<String> leavingBy(SparkSession session, Duration later) throws Exception {
        SparkContext spark = session.sparkContext();
        spark.listenerBus().waitUntilEmpty();
        return CollectionConverters.asJava(spark.executorAllocationManager()
                        .get()
                        .executorMonitor()
                        .timedOutExecutors(System.nanoTime() + later.toNanos()))
                .stream()
                .sorted()
                .toList();
    }

    private Gate gate() throws Exception {
        Gate gate = Gate.in(folder);
        gate.open();
        return gate;
    }

    private static Map<String, String> with(Map<String, String> settings, String... enabled) {
        Map<String, String> all = new HashMap<>(settings);
        Arrays.stream(enabled).forEach(key -> all.put(key, "true"));
        return all;
    }

    /** The ids of the executors that can have blocks. */
    private static List<String> executors() {
        return Arrays.stream(SparkEnv.get().blockManager().master().getStorageStatus())
                .map(StorageStatus::blockManagerId)
                .filter(id -> !id.isDriver())
                .map(BlockManagerId::executorId)
                .sorted()
                .toList();
    }
}
