/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks of real stages, in this JVM. */
class StageTasksTest {
    private static final Queue<Others> SEEN = new ConcurrentLinkedQueue<>();
    private static StageTasks stages;
    private static StageTasks deaf;
    private static CyclicBarrier full;

    private SparkContext context;
    private int tasks;

    @BeforeEach
    void listen() {
        context = LocalSpark.session().sparkContext();
        tasks = 2 * context.defaultParallelism();
        stages = new StageTasks();
        full = new CyclicBarrier(tasks / 2);
        context.addSparkListener(stages);
        SEEN.clear();
    }

    /** Tasks of a stage that has failed may run on, and would be seen by the next test. */
    @AfterEach
    void leave() throws Exception {
        for (int i = 0; i < 30_000 && isBusy(); i++) {
            Thread.sleep(1);
        }
        context.removeSparkListener(stages);
    }

    private boolean isBusy() {
        return Arrays.stream(context.statusTracker().getExecutorInfos())
                .anyMatch(executor -> executor.numRunningTasks() > 0);
    }

    private JavaRDD<Integer> rows() {
        return new JavaSparkContext(context)
                .parallelize(IntStream.range(0, tasks).boxed().toList(), tasks);
    }

    /** Half of the tasks fill all slots until each of them has seen that the other half waits. */
    private static void fillTheSlots(int task, int slots) throws Exception {
        int stage = TaskContext.get().stageId();
        if (task < slots) {
            for (int i = 0; i < 30_000 && !stages.others(stage).waiting(); i++) {
                Thread.sleep(1);
            }
            full.await(1, TimeUnit.MINUTES);
        }
        SEEN.add(stages.others(stage));
    }

    @Test
    void tasksWaitForSlotsUntilTheyHaveThem() throws Exception {
        int slots = tasks / 2;

        rows().foreach(task -> fillTheSlots(task, slots));

        assertThat(SEEN).hasSize(tasks).contains(new Others(true, tasks, false));
        context.listenerBus().waitUntilEmpty();
        assertThat(stages.others(0)).isEqualTo(new Others(false, 0, false));
    }

    @Test
    void tasksOfCoalescedPartitionsMayHaveSeveral() {
        rows().coalesce(2).foreachPartition(rows -> SEEN.add(whenHeard()));
        assertThat(SEEN).hasSize(2).allMatch(Others::several);
        SEEN.clear();
        rows().map(row -> row).foreachPartition(rows -> SEEN.add(whenHeard()));
        assertThat(SEEN).hasSize(tasks).noneMatch(Others::several);
    }

    /** What is known of a task's stage, which comes a moment later than the task. */
    private static Others whenHeard() throws InterruptedException {
        int stage = TaskContext.get().stageId();
        for (int i = 0; i < 30_000 && stages.others(stage).silent() == 0; i++) {
            Thread.sleep(1);
        }
        return stages.others(stage);
    }

    @Test
    void nothingIsLeftOfAStageThatFails() throws Exception {
        int slots = tasks / 2;

        assertThatThrownBy(() -> rows().foreach(task -> {
                    fillTheSlots(task, slots);
                    throw new IllegalStateException("on purpose");
                }))
                .hasMessageContaining("on purpose");

        context.listenerBus().waitUntilEmpty();
        assertThat(stages.others(0)).isEqualTo(new Others(false, 0, false));
    }

    /** Events are dropped in bursts: of this stage all are, but the first one. */
    @Test
    void aStageWhoseEndIsNotHeardHoldsUpNobody() throws Exception {
        deaf = new StageTasks();
        SparkListener first = new SparkListener() {
            @Override
            public void onStageSubmitted(SparkListenerStageSubmitted event) {
                deaf.onStageSubmitted(event);
            }
        };
        context.addSparkListener(first);
        try {
            rows().foreach(task -> {
                whenHeard();
                SEEN.add(deaf.others(TaskContext.get().stageId()));
            });
            context.listenerBus().waitUntilEmpty();
        } finally {
            context.removeSparkListener(first);
        }

        assertThat(SEEN).contains(new Others(true, tasks, false));
        assertThat(deaf.others(0)).isEqualTo(new Others(false, 0, false));
    }
}
