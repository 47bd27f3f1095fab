/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.map;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** A program of somebody who has Spark's client and nothing else: this class must not need another one of these tests. */
final class ConnectClient {
    static final int ROWS = 96;

    private ConnectClient() {}

    /** Asks the server for predictions by a model, in all ways that there are; prints a line of each row. */
    public static void main(String[] arguments) {
        SparkSession session = SparkSession.builder().remote(arguments[0]).getOrCreate();
        String model = arguments[1];
        String options = "map('batchRows', '4')";
        String call = "coded_predict('" + model + "', x, " + options + ")";
        session.range(0, ROWS, 1, 4).selectExpr("id", KnownAnswers.INPUT).createOrReplaceTempView("t");

        print("column", session.sql("SELECT id, answer.* FROM (SELECT id, " + call + " AS answer FROM t)"));
        print(
                "function",
                session.table("t")
                        .select(
                                col("id"),
                                call_function("coded_predict", lit(model), col("x"), map(lit("batchRows"), lit("4")))
                                        .as("answer"))
                        .select("id", "answer.*"));
        print(
                "table",
                session.sql("SELECT id, prediction, outcome FROM coded_predict(TABLE(t), '" + model + "', 'x', "
                        + options + ")"));
        // The task of a row sleeps, unless it is reconstructed.
        print(
                "late",
                session.sql("SELECT id, answer.*, CASE WHEN id = 5 AND answer.outcome = 'predicted'"
                        + " THEN java_method('java.lang.Thread', 'sleep', 60000L) END AS slept"
                        + " FROM (SELECT id, " + call + " AS answer FROM t)"));
        System.out.println("by " + session.getClass().getName());
        session.stop();
    }

    private static void print(String way, Dataset<Row> answers) {
        for (Row answer : answers.collectAsList()) {
            List<Float> prediction = answer.getList(1);
            System.out.printf(
                    "%s %d %s %s %s%n",
                    way, answer.getLong(0), prediction.get(0), prediction.get(1), answer.getString(2));
        }
    }
}
