/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.it.Await;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the other tests rely on, with nothing of Paritas: hosts, kills and frozen executors. */
@Order(SparkClusters.PLAIN)
@Tag(SparkClusters.SHARED)
class PlainSparkIT {
    private static final int SLOTS = SparkClusters.WORKERS * SparkClusters.CORES;

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path shared;

    @Test
    void runsAQueryOnDistinctHosts() throws Exception {
        SparkSession session = SPARK.session();

        assertThat(session.range(1_000).selectExpr("sum(id)").first().getLong(0))
                .isEqualTo(499_500);
        assertThat(slots(session)
                        .map(slot ->
                                SparkEnv.get().blockManager().blockManagerId().host())
                        .distinct()
                        .collect())
                .containsExactlyInAnyOrder("127.0.0.2", "127.0.0.3", "127.0.0.4");
    }

    @Test
    void sharesExecutorsAmongSessionsWithTheSameSettings() throws Exception {
        SparkSession first = SPARK.session();
        SparkSession second = SPARK.session();
        first.range(3).createOrReplaceTempView("three");

        assertThat(second.sparkContext()).isSameAs(first.sparkContext());
        assertThat(second.catalog().tableExists("three")).isFalse();
    }

    @Test
    void knowsTheProcessOfEachExecutor() throws Exception {
        List<Long> pids = slots(SPARK.session())
                .map(slot -> ProcessHandle.current().pid())
                .distinct()
                .collect();

        assertThat(SPARK.executors()).extracting(ExecutorProcess::pid).containsExactlyInAnyOrderElementsOf(pids);
    }

    @Test
    void finishesAJobWhoseExecutorIsKilled() throws Exception {
        Path hung = shared.resolve("hung");
        JavaFutureAction<List<Integer>> job =
                slots(SPARK.session()).map(new HangOnce(hung.toString())).collectAsync();
        Await.until("a task hangs", () -> Files.exists(hung), () -> "running");
        ExecutorProcess victim = SPARK.executor(Long.parseLong(Files.readString(hung)));

        victim.kill();

        assertThat(job.get()).isEqualTo(IntStream.range(0, SLOTS).boxed().toList());
        assertThat(victim.handle().isAlive()).isFalse();
        victim.thaw(); // nothing is to be done
    }

    @Test
    void aFrozenExecutorHoldsItsTasksUntilItThaws() throws Exception {
        SparkSession session = SPARK.session();
        ExecutorProcess frozen = SPARK.executors().get(0);
        LongAccumulator finished = session.sparkContext().longAccumulator();

        frozen.freeze();
        JavaFutureAction<List<String>> job = slots(session)
                .map(slot -> {
                    finished.add(1);
                    return SparkEnv.get().executorId();
                })
                .collectAsync();
        Await.until("the others have finished", () -> finished.value() == SLOTS - SparkClusters.CORES, finished::value);
        assertThat(job.isDone()).isFalse();
        frozen.thaw();

        assertThat(job.get()).hasSize(SLOTS).filteredOn(frozen.id()::equals).hasSize(SparkClusters.CORES);
    }

    /** A task for each core of the cluster, so long that no executor is free to take the share of another. */
    private static JavaRDD<Integer> slots(SparkSession session) {
        return new JavaSparkContext(session.sparkContext())
                .parallelize(IntStream.range(0, SLOTS).boxed().toList(), SLOTS)
                .map(slot -> {
                    Thread.sleep(1000);
                    return slot;
                });
    }

    /** The first attempt for slot 0 writes its process id into a file, and then nothing more comes of it. */
    private record HangOnce(String file)
            implements org.apache.spark.api.java.function.Function<Integer, Integer>, Serializable {
        @Override
        public Integer call(Integer slot) throws Exception {
            if (slot == 0 && TaskContext.get().attemptNumber() == 0) {
                Path path = Path.of(file);
                Path complete = path.resolveSibling("complete");
                Files.writeString(
                        complete, String.valueOf(ProcessHandle.current().pid()));
                Files.move(complete, path);
                Thread.sleep(Long.MAX_VALUE);
            }
            return slot;
        }
    }
}
