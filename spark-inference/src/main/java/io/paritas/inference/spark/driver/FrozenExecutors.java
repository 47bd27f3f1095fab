/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.ExecutorProcessLost;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.RemoveExecutor;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMessages.GetBlockStatus;
import org.apache.spark.storage.RDDBlockId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Gives up executors that do not answer: a frozen JVM or a cut network, which Spark itself would notice after minutes of
 * missing heartbeats. Until then their killed tasks do not end, and readers of their shuffle outputs wait. Their tasks and
 * blocks are lost, so this is off unless a timeout is set. It happens only while something is coded, at most once in an
 * interval, and never to the last executor.
 */
final class FrozenExecutors implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FrozenExecutors.class);

    /* No executor has it: the question is only whether one answers. */
    private static final GetBlockStatus QUESTION = new GetBlockStatus(new RDDBlockId(-1, 0), true);

    private final SparkContext context;
    /* Its thread waits for the cluster manager. That of the coordinator must not: it kills late tasks. */
    private final DriverScheduler scheduler = new DriverScheduler("paritas-frozen-executors");
    private final Duration timeout;
    private final Duration interval;
    private long lastAt;
    private boolean any;

    FrozenExecutors(SparkContext context, Duration timeout, Duration interval) {
        this.context = context;
        this.timeout = timeout;
        this.interval = interval;
    }

    /** Asks all executors once in a timeout while something is coded; never if the timeout is zero. */
    void watch(BooleanSupplier coded) {
        if (!timeout.isZero()) {
            scheduler.after(timeout.toNanos(), () -> {
                watch(coded);
                if (coded.getAsBoolean()
                        && context.schedulerBackend() instanceof CoarseGrainedSchedulerBackend backend) {
                    Map<BlockManagerId, Future<?>> answers = ask();
                    scheduler.after(timeout.toNanos(), () -> giveUpSilent(answers, backend));
                }
            });
        }
    }

    private Map<BlockManagerId, Future<?>> ask() {
        scala.collection.Map<BlockManagerId, Future<?>> answers = context.env()
                .blockManager()
                .master()
                .driverEndpoint()
                .askSync(QUESTION, ClassTag$.MODULE$.apply(scala.collection.immutable.Map.class));
        return CollectionConverters.asJava(answers);
    }

    private void giveUpSilent(Map<BlockManagerId, Future<?>> answers, CoarseGrainedSchedulerBackend backend) {
        List<String> executors = CollectionConverters.asJava(backend.getExecutorIds());
        answers.forEach((asked, answer) -> {
            boolean frozen = !answer.isCompleted() && executors.contains(asked.executorId());
            if (frozen && executors.size() > 1 && isAllowed()) {
                giveUp(asked.executorId(), backend);
            }
        });
    }

    private boolean isAllowed() {
        return !any || System.nanoTime() - lastAt >= interval.toNanos();
    }

    private void giveUp(String executor, CoarseGrainedSchedulerBackend backend) {
        any = true;
        lastAt = System.nanoTime();
        LOG.warn("Paritas: executor {} did not answer within {} ms: giving it up", executor, timeout.toMillis());
        context.killAndReplaceExecutor(executor);
        backend.driverEndpoint()
                .send(new RemoveExecutor(
                        executor, new ExecutorProcessLost("did not answer Paritas", Option.empty(), false)));
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
