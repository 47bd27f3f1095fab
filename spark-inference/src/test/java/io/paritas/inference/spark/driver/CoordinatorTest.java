/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.spark.driver.Coordinator.Execution;
import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.driver.TaskMessage.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerUnpersistRDD;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CoordinatorTest {
    private static final Queue<Mode> MODES = new ConcurrentLinkedQueue<>();
    private static final Queue<Integer> BEGUN = new ConcurrentLinkedQueue<>();

    private static SparkContext context;
    private static Coordinator coordinator;
    private static Coordinator deaf;

    @BeforeAll
    static void start() {
        context = LocalSpark.session().sparkContext();
        coordinator = Coordinator.running().orElseGet(() -> Coordinator.start(context));
    }

    private static long[] message(Kind kind, long execution, int stage, int segment, long task) {
        Attempt attempt = new Attempt(1, execution, stage, segment, task);
        Layout layout = new Layout(2, 1, 3, Placement.ROTATED, 1);
        return new TaskMessage(kind, 0, segment, attempt, layout, new LatePolicy(1000, Duration.ZERO)).encode();
    }

    private static long[] ask(Kind kind, long execution, int stage, int segment) {
        return (long[]) coordinator.receive(message(kind, execution, stage, segment, 1_000_000 + segment));
    }

    private static Help next(Kind kind, long execution, int stage, int segment) {
        return Help.decode(ask(kind, execution, stage, segment));
    }

    /** What a task of a coded operator says first. */
    private static void startSegment() {
        TaskContext task = TaskContext.get();
        String execution = task.getLocalProperty("spark.sql.execution.id");
        long[] answer =
                ask(Kind.START, execution == null ? -1 : Long.parseLong(execution), task.stageId(), task.partitionId());
        MODES.add(Instruction.of(answer).mode());
        assertThat(Instruction.of(answer).blocks()).isNotNegative();
        assertThat(coordinator.executions()).isPositive();
    }

    private static int executionsAtLast() throws Exception {
        context.listenerBus().waitUntilEmpty();
        return coordinator.executions();
    }

    @Test
    void anExecutionIsOverWithItsJob() throws Exception {
        MODES.clear();
        new JavaSparkContext(context).parallelize(List.of(0, 1, 2), 3).foreachPartition(rows -> startSegment());
        assertThat(MODES).containsExactly(Mode.COMPUTE, Mode.COMPUTE, Mode.COMPUTE);
        assertThat(executionsAtLast()).isZero();
    }

    @Test
    void anExecutionIsOverWithItsQuery() throws Exception {
        MODES.clear();
        SparkSession.builder().getOrCreate().range(0, 3, 1, 3).foreachPartition((ForeachPartitionFunction<Long>)
                rows -> startSegment());
        assertThat(MODES).containsExactly(Mode.COMPUTE, Mode.COMPUTE, Mode.COMPUTE);
        assertThat(executionsAtLast()).isZero();
    }

    @Test
    void whoComesLateBeginsNothing() {
        long ended = Long.MAX_VALUE;
        Instruction alone = new Instruction(Mode.COMPUTE, Instruction.NO_BLOCKS, 0, 0);
        assertThat(Instruction.of(ask(Kind.START, ended, 0, 0))).isEqualTo(alone);
        assertThat(Instruction.of(ask(Kind.LOST, ended, 0, 0))).isEqualTo(alone);
        for (Kind kind : new Kind[] {Kind.COMPUTED, Kind.PARITY, Kind.NEXT, Kind.DECODED}) {
            assertThat(next(kind, ended, 0, 0)).isEqualTo(Help.End.OVER);
        }
        assertThat(coordinator.receive(message(Kind.END, ended, 0, 0, 1))).isNull();
        assertThat(coordinator.executions()).isZero();
    }

    @Test
    void tasksWaitForOthersAndComputeParityForOneThatFailed() {
        int stage = 1_000_000;
        for (int segment = 0; segment < 3; segment++) {
            assertThat(Instruction.of(ask(Kind.START, -1, stage, segment)).mode())
                    .isEqualTo(Mode.COMPUTE);
        }
        assertThat(next(Kind.COMPUTED, -1, stage, 0)).isEqualTo(new Help.Wait());
        assertThat(next(Kind.COMPUTED, -1, stage, 1)).isEqualTo(new Help.Wait());
        coordinator.receive(message(Kind.END, -1, stage, 2, 1_000_002));
        assertThat(next(Kind.NEXT, -1, stage, 0)).isEqualTo(new Help.Parity(0, 0));
        assertThat(next(Kind.NEXT, -1, stage, 1)).isEqualTo(new Help.Parity(1, 0));
        ask(Kind.START, -1, stage, 2);
        assertThat(next(Kind.COMPUTED, -1, stage, 2)).isEqualTo(Help.End.NONE);
        assertThat(next(Kind.NEXT, -1, stage, 0)).isEqualTo(Help.End.NONE);
        assertThat(coordinator.executions()).isEqualTo(1);
        coordinator.forget(Set.of(Execution.ofStage(stage)));
        assertThat(coordinator.executions()).isZero();
        assertThat(next(Kind.NEXT, -1, stage, 0)).isEqualTo(Help.End.OVER);
    }

    /** The listener may hear of the end of a query before Spark has forgotten it, and tasks of it may start even then. */
    @Test
    void whatHasEndedDoesNotBeginAgain() {
        Instruction alone = new Instruction(Mode.COMPUTE, Instruction.NO_BLOCKS, 0, 0);
        int stage = 2_000_000;
        ask(Kind.START, -1, stage, 0);
        assertThat(coordinator.executions()).isEqualTo(1);
        coordinator.forget(Set.of(Execution.ofStage(stage)));
        assertThat(Instruction.of(ask(Kind.START, -1, stage, 1))).isEqualTo(alone);
        assertThat(coordinator.executions()).isZero();

        for (int later = 1; later <= 5_000; later++) {
            coordinator.forget(Set.of(Execution.ofStage(stage + later)));
        }
        assertThat(Instruction.of(ask(Kind.START, -1, stage + 4_500, 1))).isEqualTo(alone);
        assertThat(coordinator.executions()).isZero();
    }

    @Test
    void aTaskOfAQueryThatIsJustOverBeginsNothing() {
        BEGUN.clear();
        SparkSession.builder().getOrCreate().range(0, 1, 1, 1).foreachPartition((ForeachPartitionFunction<Long>)
                rows -> {
                    long execution = Long.parseLong(TaskContext.get().getLocalProperty("spark.sql.execution.id"));
                    ask(Kind.START, execution, 0, 0);
                    BEGUN.add(coordinator.executions());
                    coordinator.forget(Set.of(Execution.ofSql(execution)));
                    ask(Kind.START, execution, 0, 1);
                    BEGUN.add(coordinator.executions());
                });
        assertThat(BEGUN).containsExactly(1, 0);
    }

    /** A coordinator that hears of no end, as when events are dropped. */
    @Test
    void whatIsOverIsForgottenThoughNobodyHeardOfIt() throws Exception {
        BEGUN.clear();
        Queue<Integer> dropped = new ConcurrentLinkedQueue<>();
        SparkListener drops = new SparkListener() {
            @Override
            public void onUnpersistRDD(SparkListenerUnpersistRDD event) {
                dropped.add(event.rddId());
            }
        };
        context.addSparkListener(drops);
        deaf = new Coordinator(context);
        try (Coordinator closed = deaf) {
            SparkSession.builder().getOrCreate().range(0, 1, 1, 1).foreachPartition((ForeachPartitionFunction<Long>)
                    rows -> {
                        long execution = Long.parseLong(TaskContext.get().getLocalProperty("spark.sql.execution.id"));
                        deaf.onKill(1, execution, () -> {});
                        Object answer = deaf.receive(message(Kind.START, execution, 0, 0, 1));
                        BEGUN.add(Instruction.of((long[]) answer).blocks());
                        deaf.forgetMissed();
                        BEGUN.add(deaf.executions());
                    });
            int blocks = BEGUN.remove();
            assertThat(BEGUN).as("while it runs").containsExactly(1);
            assertThat(closed.executions()).isEqualTo(1);

            closed.forgetMissed();

            assertThat(closed.executions()).isZero();
            assertThat(closed.listeners()).isZero();
            context.listenerBus().waitUntilEmpty();
            assertThat(dropped)
                    .as("Spark's cleaner may drop others at any time")
                    .containsOnlyOnce(blocks);
        } finally {
            context.removeSparkListener(drops);
        }
    }

    @Test
    void nobodyHearsOfKillsAfterItsExecution() {
        long ended = Long.MAX_VALUE;
        coordinator.onKill(1, ended, () -> {});
        coordinator.onKill(2, ended, () -> {});
        coordinator.onKill(1, ended - 1, () -> {});

        coordinator.forget(Set.of(Execution.ofSql(ended)));
        assertThat(coordinator.listeners()).isEqualTo(1);

        coordinator.forget(Set.of(Execution.ofSql(ended - 1)));
        assertThat(coordinator.listeners()).isZero();
    }
}
