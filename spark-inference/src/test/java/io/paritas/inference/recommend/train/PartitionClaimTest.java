/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.table.Redundancy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two tasks of one partition, as Spark starts them when it repeats a stage whose tasks still train. */
class PartitionClaimTest {
    private static final int BATCH = 5;
    private static final int BATCHES = 12;
    /** Batches of the first task before the second one begins, and of this one before the first goes on. */
    private static final int FIRST = 4;

    private static final int SECOND = 6;
    private static final long LEASE = 400;

    private static final AtomicInteger TASKS = new AtomicInteger();
    /** Whether the first task claims the partition before the second one. */
    private static boolean firstClaims;

    private static volatile Duration thirdTook;

    private static CountDownLatch firstStops;
    private static CountDownLatch secondStops;
    private static CountDownLatch firstGoesOn;
    private static CountDownLatch firstHasEnded;
    private static CountDownLatch secondHasEnded;

    private static List<Redundancy> redundancies() {
        return List.of(Redundancy.replicated(), Redundancy.none());
    }

    private static TrainingPlan plan(Redundancy redundancy) {
        TrainingPlan one = SmallPlan.plan();
        return new TrainingPlan(
                one.shape(),
                new TrainingPlan.Servers(
                        2,
                        redundancy,
                        one.servers().rowOptimizer(),
                        one.servers().networkOptimizer()),
                one.work(),
                one.rows(),
                one.seed());
    }

    /** The first task stops before a batch until the second one has trained some; Spark repeats it as a third when it has ended. */
    private static JavaRDD<InternalRow> samples(boolean stopping) {
        JavaRDD<InternalRow> samples = Samples.internalRows(new GeneratedClicks(SmallPlan.TABLES, 1, 1, 1, 1)
                        .samples(LocalSpark.session(), 0, BATCH * BATCHES, 1))
                .toJavaRDD();
        return stopping ? samples.mapPartitions(PartitionClaimTest::stopping) : samples;
    }

    private static Iterator<InternalRow> stopping(Iterator<InternalRow> rows) throws InterruptedException {
        int task = TASKS.getAndIncrement();
        if (task == 0) {
            TaskContext.get().addTaskCompletionListener((TaskCompletionListener) end -> firstHasEnded.countDown());
            if (!firstClaims) {
                firstStops.countDown();
                firstGoesOn.await();
            }
        } else if (task == 2) {
            secondHasEnded.await();
            long begin = System.nanoTime();
            TaskContext.get().addTaskCompletionListener((TaskCompletionListener)
                    end -> thirdTook = Duration.ofNanos(System.nanoTime() - begin));
        }
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public InternalRow next() {
                try {
                    if (task == 0 && firstClaims && next == FIRST * BATCH) {
                        firstStops.countDown();
                        firstGoesOn.await();
                    } else if (task == 1 && next == SECOND * BATCH) {
                        secondStops.countDown();
                        firstHasEnded.await();
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                next++;
                return rows.next();
            }
        };
    }

    private record Trained(float[] network, float[] rows, BatchCount count) {
        static Trained of(ParameterServers servers, TrainingPlan plan) throws InterruptedException {
            try (ParameterClient client = ParameterClient.connect(servers.location(), Integer.MAX_VALUE - 77)) {
                long[] ids = IntStream.range(0, (int) SmallPlan.TABLES.rows())
                        .asLongStream()
                        .toArray();
                return new Trained(
                        client.pullBlocks(plan.blocks()),
                        client.pullRows(TrainingPlan.EMBEDDINGS, ids),
                        BatchCount.of(client.pullRows(TrainingPlan.COMMITTED, new long[] {0})));
            }
        }
    }

    private static ParameterServers start(TrainingPlan plan) throws InterruptedException {
        return ParameterServers.start(
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext()),
                plan.spec(),
                HostOptions.DEFAULT.withSpares(0).withTiming(new Timing(20, LEASE, 5)),
                Duration.ofMinutes(1));
    }

    private static Trained undisturbed(TrainingPlan plan) throws InterruptedException {
        try (ParameterServers servers = start(plan);
                Reports reports = new Reports()) {
            samples(false).foreachPartition(task(plan, servers, reports));
            return Trained.of(servers, plan);
        }
    }

    private static TrainingTask task(TrainingPlan plan, ParameterServers servers, Reports reports) {
        return new TrainingTask(plan, new ServedState(servers.location(), 0), reports.endpoint(), 1, 0);
    }

    @ParameterizedTest
    @MethodSource("redundancies")
    @Timeout(120)
    void theNewerTaskTrainsAndTheOtherOneEnds(Redundancy redundancy) throws Exception {
        firstClaims = true;
        assertThatTheNewerTaskTrains(redundancy);
    }

    /** As one that was about to begin when its stage was repeated. */
    @ParameterizedTest
    @MethodSource("redundancies")
    @Timeout(120)
    void theOlderTaskEndsIfItComesLate(Redundancy redundancy) throws Exception {
        firstClaims = false;
        assertThatTheNewerTaskTrains(redundancy);
    }

    private static void assertThatTheNewerTaskTrains(Redundancy redundancy) throws Exception {
        TASKS.set(0);
        firstStops = new CountDownLatch(1);
        secondStops = new CountDownLatch(1);
        firstGoesOn = new CountDownLatch(1);
        firstHasEnded = new CountDownLatch(1);
        secondHasEnded = new CountDownLatch(1);
        TrainingPlan plan = plan(redundancy);
        Trained once = undisturbed(plan);
        List<Integer> batches = new ArrayList<>();
        try (ParameterServers servers = start(plan);
                Reports reports = new Reports()) {
            reports.recordBy(iteration -> batches.add(iteration.samples()));
            JavaFutureAction<Void> first = samples(true).foreachPartitionAsync(task(plan, servers, reports));
            firstStops.await();
            JavaFutureAction<Void> second = samples(true).foreachPartitionAsync(task(plan, servers, reports));
            secondStops.await();
            // With one phase, a task looks for its claim some times within a lease.
            Thread.sleep(LEASE);
            firstGoesOn.countDown();
            assertThatCode(second::get).doesNotThrowAnyException();
            secondHasEnded.countDown();
            assertThatCode(first::get).doesNotThrowAnyException();

            assertThat(TASKS).as("the first one was killed").hasValue(3);
            if (redundancy.isOnePhase()) {
                assertThat(thirdTook)
                        .as("a lease, in which the one before sees that its claim is gone")
                        .isGreaterThanOrEqualTo(Duration.ofMillis(LEASE));
            }
            assertThat(batches).hasSize(BATCHES);
            Trained twice = Trained.of(servers, plan);
            assertThat(twice.count().batches()).isEqualTo(BATCHES);
            assertThat(twice.network()).isEqualTo(once.network());
            assertThat(twice.rows()).isEqualTo(once.rows());
        }
    }
}
