/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.it.Await;
import io.paritas.spark.ec.ErasureCoded;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;

/**
 * A program for {@code spark-submit}: kills an executor, which runs on its machine, and reads again what it had: shuffled and kept rows. Then it
 * predicts by a model, with a late task.
 */
public final class LosingProgram {
    static final int EXECUTORS = 3;
    static final String CODE = "rs-2-1";
    static final int ROWS = 12_000;

    private static final int PARTITIONS = 12;

    private LosingProgram() {}

    /** Prints the sums of rows, how often they have been computed until then, and what became of the predictions of a model. */
    public static void main(String[] arguments) throws Exception {
        try (SparkSession session = SparkSession.builder().getOrCreate()) {
            JavaSparkContext context = new JavaSparkContext(session.sparkContext());
            awaitExecutors(context);
            LongAccumulator mapped = context.sc().longAccumulator();
            JavaRDD<Integer> shuffled = rows(context, mapped).repartition(PARTITIONS);
            print("shuffled", shuffled, mapped);
            ShuffleMetrics.awaitCoded();
            LongAccumulator computed = context.sc().longAccumulator();
            JavaRDD<Integer> kept = ErasureCoded.persist(rows(context, computed), CODE);
            kill(context);
            print("shuffled", shuffled, mapped);
            print("kept", kept, computed);
            System.out.println(PredictingProgram.outcome(session, arguments[0]));
        }
    }

    private static JavaRDD<Integer> rows(JavaSparkContext context, LongAccumulator computed) {
        return context.parallelize(IntStream.range(0, ROWS).boxed().toList(), PARTITIONS)
                .map(row -> {
                    computed.add(1);
                    return row;
                });
    }

    private static void print(String what, JavaRDD<Integer> rows, LongAccumulator computed) {
        System.out.println(what + " " + rows.reduce(Integer::sum) + ", computed " + computed.value());
    }

    /** Kills an executor, and waits until the driver knows. */
    private static void kill(JavaSparkContext context) throws Exception {
        List<String> any = context.parallelize(List.of(0), 1)
                .flatMap(row -> List.of(
                                SparkEnv.get().executorId(),
                                String.valueOf(ProcessHandle.current().pid()))
                        .iterator())
                .collect();
        ProcessHandle.of(Long.parseLong(any.get(1))).orElseThrow().destroyForcibly();
        Await.until(
                "executor " + any.get(0) + " is lost",
                () -> !context.sc().getExecutorIds().contains(any.get(0)),
                () -> context.sc().getExecutorIds());
    }

    private static void awaitExecutors(JavaSparkContext context) throws Exception {
        Await.until(
                EXECUTORS + " executors are there",
                () -> context.sc().getExecutorIds().size() == EXECUTORS,
                () -> context.sc().getExecutorIds());
    }
}
