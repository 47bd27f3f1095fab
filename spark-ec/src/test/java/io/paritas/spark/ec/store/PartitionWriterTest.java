/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.ec.RelayingEndpoint;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.CommitDeniedException;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.scheduler.OutputCommitCoordinator;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.storage.BlockManagerMessages;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.concurrent.Future;
import scala.concurrent.impl.Promise;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** The executor that computes partitions is decommissioned, and takes no units any more; or its task is killed. */
class PartitionWriterTest {
    private static final int RDD = 1000;
    private static final int STAGE = 1000;

    private static final AtomicInteger COMPUTED = new AtomicInteger();

    private SparkSession spark;

    @BeforeEach
    void start() {
        spark = PluginSession.start(PluginSession.builder()
                .config("spark.storage.decommission.rddBlocks.enabled", "false")
                .config("spark.storage.decommission.shuffleBlocks.enabled", "false"));
        COMPUTED.set(0);
    }

    @AfterEach
    void stop() {
        spark.stop();
    }

    /** The thread is interrupted while it tells the driver of the first unit. */
    private static final class Interrupting extends RelayingEndpoint {
        private static final long serialVersionUID = 1;

        private final transient AtomicBoolean told = new AtomicBoolean();

        Interrupting(RpcEndpointRef driver) {
            super(driver);
        }

        @Override
        public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> type) {
            if (message instanceof BlockManagerMessages.UpdateBlockInfo && told.compareAndSet(false, true)) {
                Thread.currentThread().interrupt();
                return new Promise.DefaultPromise<>(); // is never complete
            }
            if (told.get() && message instanceof BlockManagerMessages.GetPeers) {
                throw new AssertionError("a task that is killed asks nobody who takes its unit");
            }
            return super.ask(message, timeout, type);
        }
    }

    /** A question who else takes the unit would fail, too, and hide why the task ends. */
    @Test
    void aKilledTaskStoresNothing() {
        BlockManagerMaster master = SparkEnv.get().blockManager().master();
        RpcEndpointRef driver = master.driverEndpoint();
        JavaRDD<Integer> rows = new JavaSparkContext(spark.sparkContext()).parallelize(List.of(1), 1);
        PartitionWriter<Integer> writer = new PartitionWriter<>(RDD, 1, 1, rows.classTag());
        SparkEnv.get().outputCommitCoordinator().stageStart(STAGE, 0);
        master.driverEndpoint_$eq(new Interrupting(driver));
        try {
            assertThatThrownBy(() -> apply(writer, 0, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(new RDDBlockId(RDD, 0) + " cannot be stored on " + new UnitStore().here()
                            + ": the thread was interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
            master.driverEndpoint_$eq(driver);
        }
        assertThat(new UnitStore().has(new RDDBlockId(RDD, 0))).isFalse();
    }

    /** Its rows may come in another order, and the driver knows one checksum. */
    @Test
    void ofTwoAttemptsAtATaskOneStoresItsUnit() {
        OutputCommitCoordinator coordinator = SparkEnv.get().outputCommitCoordinator();
        PartitionWriter<Integer> writer = new PartitionWriter<>(RDD, 1, 1, ClassTag$.MODULE$.apply(Integer.class));
        coordinator.stageStart(STAGE, 0);
        StoredUnit first = apply(writer, 0, 1, 2);

        assertThatThrownBy(() -> apply(writer, 1, 2, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("one attempt at a task may store its unit, and attempt 1 at partition 0 of stage " + STAGE
                        + " is not the one")
                .hasCauseInstanceOf(CommitDeniedException.class);
        assertThatThrownBy(() -> apply(writer, 1)).as("without rows").hasCauseInstanceOf(CommitDeniedException.class);
        assertThat(isStored(first)).isTrue();

        coordinator.stageEnd(STAGE);
        assertThatThrownBy(() -> apply(writer, 0, 2, 1))
                .as("the job is over")
                .hasCauseInstanceOf(CommitDeniedException.class);
        assertThat(isStored(first)).isTrue();
    }

    /** Its executor is lost, and the next attempt has no rows. */
    @Test
    void whatAnEarlierAttemptHasStoredElsewhereGoes() throws InterruptedException {
        RDDBlockId block = new RDDBlockId(RDD, 0);
        PartitionWriter<Integer> writer = new PartitionWriter<>(RDD, 1, 1, ClassTag$.MODULE$.apply(Integer.class));
        SparkEnv.get().outputCommitCoordinator().stageStart(STAGE, 0);
        try (SecondExecutor second = new SecondExecutor()) {
            new UnitStore().put(block, new ChunkedByteBuffer(ByteBuffer.allocate(1)), second.id());
            assertThat(new UnitStore().locations(block)).containsExactly(List.of(second.id()));

            assertThat(apply(writer, 1)).isEqualTo(StoredUnit.EMPTY);

            for (int wait = 0;
                    wait < 100 && !new UnitStore().locations(block).get(0).isEmpty();
                    wait++) {
                Thread.sleep(100);
            }
            assertThat(new UnitStore().locations(block)).containsExactly(List.of());
        }
    }

    private static StoredUnit apply(PartitionWriter<Integer> writer, int attempt, Integer... rows) {
        TaskContext task = new TaskContextImpl(
                STAGE,
                0,
                0,
                attempt,
                attempt,
                1,
                null,
                new Properties(),
                null,
                TaskMetrics.empty(),
                1,
                scala.collection.immutable.Map$.MODULE$.empty());
        return writer.apply(task, CollectionConverters.asScala(List.of(rows).iterator()));
    }

    private static boolean isStored(StoredUnit unit) {
        try (UnitBytes bytes = new UnitStore().local(new RDDBlockId(RDD, 0)).orElseThrow()) {
            return bytes.is(unit);
        }
    }

    @Test
    void storesThemOnAnotherExecutor() {
        JavaRDD<Integer> rows = new JavaSparkContext(spark.sparkContext())
                .parallelize(List.of(1, 2, 3, 4), 4)
                .map(row -> row * COMPUTED.incrementAndGet());
        Map<Integer, StoredUnit> stored = new TreeMap<>();
        try (SecondExecutor second = new SecondExecutor()) {
            SparkEnv.get().blockManager().decommissionSelf();
            Jobs.run(
                    spark.sparkContext(),
                    "store",
                    rows.rdd(),
                    new PartitionWriter<>(RDD, 4, 4, rows.classTag()),
                    List.of(0, 1, 2, 3),
                    stored::put);

            assertThat(COMPUTED).hasValue(4);
            assertThat(stored).containsOnlyKeys(0, 1, 2, 3);
            stored.keySet().forEach(partition -> assertThat(new UnitStore().locations(new RDDBlockId(RDD, partition)))
                    .containsExactly(List.of(second.id())));
        }
    }
}
