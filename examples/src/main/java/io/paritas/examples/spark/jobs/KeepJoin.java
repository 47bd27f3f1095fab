/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.spark.jobs;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.udf;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import io.paritas.spark.ec.store.Health;
import io.paritas.spark.ec.store.UnitMetrics;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.LongAccumulator;

/**
 * Joins two tables, keeps the join erasure-coded, and asks the same of it twice: with all executors, and while one is killed.
 * Fails if the answers differ, or if a row of the join was computed again.
 *
 * <pre>
 * spark-submit --jars $(bin/paritas spark-jars) \
 *     --class io.paritas.examples.spark.jobs.KeepJoin examples/target/paritas-examples-0.1.0-SNAPSHOT.jar \
 *     rs-4-1 300000
 * </pre>
 *
 * <p>Arguments: a code of k data and r parity units, which wants k + r executors, and how many rows the tables have. They
 * are the same in each run.
 */
public final class KeepJoin {
    private KeepJoin() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2 || !arguments[1].matches("\\d{1,9}")) {
            throw new IllegalArgumentException("the arguments are CODE ROWS, got " + String.join(" ", arguments));
        }
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            if (spark.sparkContext().isLocal()) {
                throw new IllegalStateException(
                        "an executor is killed, so there must be some: name a cluster by --master");
            }
            LongAccumulator computed = spark.sparkContext().longAccumulator("rows of the join computed");
            long start = System.nanoTime();
            Dataset<Row> kept = ErasureCoded.persist(join(spark, arguments[1], computed), arguments[0]);
            long once = computed.value();
            System.out.printf("kept: %d rows in %.1f s, %s%n", once, seconds(start), tell(ErasureCoded.health(kept)));
            List<Row> before = ask("with all executors", kept);
            List<Row> after = ask("with an executor that is killed", new Fault(0, true).in(kept));
            UnitMetrics units =
                    ErasureCodedDatasets.protection(kept).orElseThrow().rdd().metrics();
            System.out.printf("decoded: %s partitions%n", units.decoded().value());
            System.out.printf("computed again: %d rows%n", computed.value() - once);
            if (computed.value() != once || !after.equals(before)) {
                throw new IllegalStateException("what is kept must give the same answer without computing it again");
            }
        }
    }

    /** Orders with the discount of their customer, of which there are as many. */
    private static Dataset<Row> join(SparkSession spark, String rows, LongAccumulator computed) {
        UDF2<Long, Long, Long> price = (cents, percent) -> {
            computed.add(1);
            return cents * (100 - percent) / 100;
        };
        Dataset<Row> orders = spark.sql("SELECT id, pmod(xxhash64(id, 1), " + rows + ") AS customer,"
                + " pmod(xxhash64(id, 2), 100000) AS cents FROM range(" + rows + ")");
        Dataset<Row> customers = spark.sql("SELECT id AS customer, pmod(xxhash64(id, 3), 3) AS region,"
                + " pmod(xxhash64(id, 4), 50) AS percent FROM range(" + rows + ")");
        return orders.join(customers.hint("merge"), "customer")
                .select(
                        col("region"),
                        udf(price, DataTypes.LongType)
                                .apply(col("cents"), col("percent"))
                                .as("price"));
    }

    private static List<Row> ask(String what, Dataset<Row> join) {
        long start = System.nanoTime();
        List<Row> answer = join.groupBy("region").sum("price").orderBy("region").collectAsList();
        System.out.printf("%s: %s in %.1f s%n", what, answer, seconds(start));
        return answer;
    }

    private static String tell(Health health) {
        return String.format(
                "%d partitions, %.2f times their size, for the loss of %d executors",
                health.partitions(), health.overhead(), health.survives());
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
