/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.CodedInferencePlugin;
import io.paritas.inference.spark.driver.Coordinator.Execution;
import io.paritas.inference.spark.driver.Instruction.Mode;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CoordinatorTest {
    private static final Queue<Mode> MODES = new ConcurrentLinkedQueue<>();
    private static final Queue<Integer> BEGUN = new ConcurrentLinkedQueue<>();

    private static SparkContext context;
    private static Coordinator coordinator;

    @BeforeAll
    static void start() {
        context = SparkContext.getOrCreate(new SparkConf()
                .setMaster("local[2]")
                .setAppName("tests of the coordinator")
                .set("spark.plugins", CodedInferencePlugin.class.getName())
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "localhost")
                .set("spark.driver.bindAddress", "127.0.0.1"));
        coordinator = Coordinator.running().orElseGet(() -> Coordinator.start(context));
    }

    private static long[] message(int kind, long execution, int stage, int unit, long task) {
        long[] message = new long[Messages.LENGTH];
        message[Messages.KIND] = kind;
        message[Messages.OPERATOR] = 1;
        message[Messages.EXECUTION] = execution;
        message[Messages.STAGE] = stage;
        message[Messages.UNIT] = unit;
        message[Messages.TASK] = task;
        message[Messages.K] = 2;
        message[Messages.R] = 1;
        message[Messages.UNITS] = 3;
        message[Messages.SHARE] = Double.doubleToLongBits(1);
        message[Messages.PATIENCE] = Double.doubleToLongBits(1000);
        return message;
    }

    private static long[] ask(int kind, long execution, int stage, int unit) {
        return (long[]) coordinator.receive(message(kind, execution, stage, unit, 1_000_000 + unit));
    }

    /** What a task of a coded operator says first. */
    private static void startUnit() {
        TaskContext task = TaskContext.get();
        String execution = task.getLocalProperty("spark.sql.execution.id");
        long[] answer = ask(
                Messages.START, execution == null ? -1 : Long.parseLong(execution), task.stageId(), task.partitionId());
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
        new JavaSparkContext(context).parallelize(List.of(0, 1, 2), 3).foreachPartition(rows -> startUnit());
        assertThat(MODES).containsExactly(Mode.COMPUTE, Mode.COMPUTE, Mode.COMPUTE);
        assertThat(executionsAtLast()).isZero();
    }

    @Test
    void anExecutionIsOverWithItsQuery() throws Exception {
        MODES.clear();
        SparkSession.builder().getOrCreate().range(0, 3, 1, 3).foreachPartition((ForeachPartitionFunction<Long>)
                rows -> startUnit());
        assertThat(MODES).containsExactly(Mode.COMPUTE, Mode.COMPUTE, Mode.COMPUTE);
        assertThat(executionsAtLast()).isZero();
    }

    @Test
    void whoComesLateBeginsNothing() {
        long ended = Long.MAX_VALUE;
        Instruction alone = new Instruction(Mode.COMPUTE, Instruction.NO_BLOCKS, 0, 0);
        assertThat(Instruction.of(ask(Messages.START, ended, 0, 0))).isEqualTo(alone);
        assertThat(Instruction.of(ask(Messages.LOST, ended, 0, 0))).isEqualTo(alone);
        for (int kind : new int[] {Messages.COMPUTED, Messages.PARITY, Messages.NEXT, Messages.DECODED}) {
            assertThat(ask(kind, ended, 0, 0)).containsExactly(Messages.OVER);
        }
        assertThat(coordinator.receive(message(Messages.END, ended, 0, 0, 1))).isNull();
        assertThat(coordinator.executions()).isZero();
    }

    @Test
    void unitsAreAskedForParityAsLongAsOthersAreOut() {
        int stage = 1_000_000;
        for (int unit = 0; unit < 3; unit++) {
            assertThat(Instruction.of(ask(Messages.START, -1, stage, unit)).mode())
                    .isEqualTo(Mode.COMPUTE);
        }
        assertThat(ask(Messages.COMPUTED, -1, stage, 0)).containsExactly(0);
        assertThat(ask(Messages.COMPUTED, -1, stage, 1)).containsExactly(0);
        assertThat(ask(Messages.COMPUTED, -1, stage, 2)).containsExactly(Messages.NONE);
        assertThat(ask(Messages.NEXT, -1, stage, 0)).containsExactly(Messages.NONE);
        assertThat(coordinator.executions()).isEqualTo(1);
        coordinator.forget(Set.of(Execution.ofStage(stage)));
        assertThat(coordinator.executions()).isZero();
        assertThat(ask(Messages.NEXT, -1, stage, 0)).containsExactly(Messages.OVER);
    }

    /** The listener may hear of the end of a query before Spark has forgotten it, and tasks of it may start even then. */
    @Test
    void whatHasEndedDoesNotBeginAgain() {
        Instruction alone = new Instruction(Mode.COMPUTE, Instruction.NO_BLOCKS, 0, 0);
        int stage = 2_000_000;
        ask(Messages.START, -1, stage, 0);
        assertThat(coordinator.executions()).isEqualTo(1);
        coordinator.forget(Set.of(Execution.ofStage(stage)));
        assertThat(Instruction.of(ask(Messages.START, -1, stage, 1))).isEqualTo(alone);
        assertThat(coordinator.executions()).isZero();

        for (int later = 1; later <= 5_000; later++) {
            coordinator.forget(Set.of(Execution.ofStage(stage + later)));
        }
        assertThat(Instruction.of(ask(Messages.START, -1, stage + 4_500, 1))).isEqualTo(alone);
        assertThat(coordinator.executions()).isZero();
    }

    @Test
    void aTaskOfAQueryThatIsJustOverBeginsNothing() {
        BEGUN.clear();
        SparkSession.builder().getOrCreate().range(0, 1, 1, 1).foreachPartition((ForeachPartitionFunction<Long>)
                rows -> {
                    long execution = Long.parseLong(TaskContext.get().getLocalProperty("spark.sql.execution.id"));
                    ask(Messages.START, execution, 0, 0);
                    BEGUN.add(coordinator.executions());
                    coordinator.forget(Set.of(Execution.ofSql(execution)));
                    ask(Messages.START, execution, 0, 1);
                    BEGUN.add(coordinator.executions());
                });
        assertThat(BEGUN).containsExactly(1, 0);
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
