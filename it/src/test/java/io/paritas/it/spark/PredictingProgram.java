/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.inference.spark.Predict;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** A program for {@code spark-submit}: predicts by a model, with a late task, until its executors are not needed any more. */
public final class PredictingProgram {
    private static final int ROWS = 192;
    private static final int BATCH_ROWS = 4;

    private PredictingProgram() {}

    /** Prints what became of the rows, and how many executors are there some time later. */
    public static void main(String[] arguments) throws Exception {
        try (SparkSession session = SparkSession.builder().getOrCreate()) {
            System.out.println(outcome(session, arguments[0]));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (session.sparkContext().getExecutorIds().nonEmpty() && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            System.out.println(
                    "executors " + session.sparkContext().getExecutorIds().size());
        }
    }

    /** What becomes of the rows of a late task: {@code reconstructed} or {@code predicted}. */
    static String outcome(SparkSession session, String model) {
        Dataset<Row> answers = session.range(0, ROWS, 1, 2)
                .selectExpr("array(float(id % 5), float(id % 3), float(id % 7)) AS x")
                .select(Predict.coded(model, functions.col("x"))
                        .option("batchRows", BATCH_ROWS)
                        .toColumn()
                        .as("answer"))
                .select("answer.outcome");
        long late = answers.mapPartitions(
                        Faults.untilReconstructed(Map.of(1, Fault.SLEEP), 0), Encoders.row(answers.schema()))
                .filter("outcome = 'reconstructed'")
                .count();
        return late > 0 ? "reconstructed" : "predicted";
    }
}
