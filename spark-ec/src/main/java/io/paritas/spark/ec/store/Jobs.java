/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.spark.job.Serialised;
import java.io.Serializable;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.CommitDeniedException;
import org.apache.spark.rdd.RDD;
import scala.Function2;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/** Runs Spark's jobs, with types of Java. */
final class Jobs {
    private static final String DESCRIPTION = "spark.job.description";

    private Jobs() {}

    /**
     * Runs a job on some partitions. The consumer gets a partition's number and result, one at a time. They are
     * {@link Serialised}.
     */
    static <T, U> void run(
            SparkContext context,
            String description,
            RDD<T> rdd,
            Function2<TaskContext, Iterator<T>, U> function,
            List<Integer> partitions,
            BiConsumer<Integer, U> results) {
        if (partitions.isEmpty()) {
            return;
        }
        String before = context.getLocalProperty(DESCRIPTION);
        context.setLocalProperty(DESCRIPTION, description);
        try {
            context.runJob(
                    rdd,
                    new Written<>(function),
                    CollectionConverters.asScala(List.<Object>copyOf(partitions))
                            .toList(),
                    new AbstractFunction2<Object, byte[], BoxedUnit>() {
                        @Override
                        public BoxedUnit apply(Object index, byte[] result) {
                            results.accept(partitions.get((Integer) index), Serialised.read(result));
                            return BoxedUnit.UNIT;
                        }
                    },
                    ClassTag$.MODULE$.apply(byte[].class));
        } finally {
            context.setLocalProperty(DESCRIPTION, before);
        }
    }

    /**
     * Lets one attempt at a task do what no other may do: the first that asks. Others may once that one has failed, and none may when the
     * job is over. So it is the first that has computed its partition, and nobody overtakes it, however slow it is from then on. Where
     * a stage is run again as its rows are not always the same, an attempt of before that has asked keeps that of the new run out: Spark
     * then fails the job rather than mixes rows.
     *
     * @throws IllegalStateException to end other attempts; Spark does not count them as failures
     */
    static void claim(TaskContext task) {
        int stage = task.stageId();
        int partition = task.partitionId();
        int attempt = task.attemptNumber();
        if (!SparkEnv.get().outputCommitCoordinator().canCommit(stage, task.stageAttemptNumber(), partition, attempt)) {
            String reason = "one attempt at a task may store its unit, and attempt " + attempt + " at partition "
                    + partition + " of stage " + stage + " is not the one";
            throw new IllegalStateException(reason, new CommitDeniedException(reason, stage, partition, attempt));
        }
    }

    private static final class Written<T> extends AbstractFunction2<TaskContext, Iterator<T>, byte[]>
            implements Serializable {
        private static final long serialVersionUID = 1;

        private final Function2<TaskContext, Iterator<T>, ?> function;

        Written(Function2<TaskContext, Iterator<T>, ?> function) {
            this.function = function;
        }

        @Override
        public byte[] apply(TaskContext task, Iterator<T> elements) {
            return Serialised.write(function.apply(task, elements));
        }
    }

    /** Returns the first element of a partition. */
    static final class First<T> extends AbstractFunction2<TaskContext, Iterator<T>, T> implements Serializable {
        private static final long serialVersionUID = 1;

        @Override
        public T apply(TaskContext task, Iterator<T> elements) {
            return elements.next();
        }
    }
}
