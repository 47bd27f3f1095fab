/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.spark.driver.Attempt;
import io.paritas.inference.spark.driver.CoordinatorClient;
import io.paritas.inference.spark.driver.Instruction.Mode;
import io.paritas.inference.spark.driver.LatePolicy;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;

/** Spark interrupts the threads of tasks that it kills, also the first ones that ask the driver. */
class InterruptedTaskTest {
    private static final Queue<Boolean> INTERRUPTED = new ConcurrentLinkedQueue<>();
    private static final Queue<Mode> MODES = new ConcurrentLinkedQueue<>();

    private static CoordinatorClient client() {
        Layout layout = new Layout(2, 1, 3, Placement.ROTATED, 1);
        return new CoordinatorClient(
                ExecutorSide.plugin().orElseThrow(),
                Attempt.of(TaskContext.get(), 1, TaskContext.getPartitionId()),
                layout,
                new LatePolicy(1000, Duration.ZERO),
                nanos -> {});
    }

    private static void interrupted() {
        Thread.currentThread().interrupt();
        try {
            client().start();
            client().computed();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("interrupted");
        }
        client().failed();
        INTERRUPTED.add(Thread.interrupted());
    }

    @Test
    void otherTasksHaveAnswers() {
        JavaSparkContext context = new JavaSparkContext(Fixtures.spark());
        for (int round = 0; round < 5; round++) {
            context.parallelize(List.of(0, 1, 2), 3).foreachPartition(rows -> interrupted());
            context.parallelize(List.of(0, 1, 2), 3)
                    .foreachPartition(rows -> MODES.add(client().start().mode()));
        }
        assertThat(INTERRUPTED).hasSize(15).containsOnly(true);
        assertThat(MODES).hasSize(15).containsOnly(Mode.COMPUTE);
    }
}
