/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.store.UnitMetrics;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;

/**
 * Joins two tables, persists the join erasure-coded, and queries it twice: with all executors, and while one is killed. Fails if the
 * answers differ, or if a row of the join was computed again.
 *
 * <pre>
 * spark-submit --jars "$(bin/paritas spark-jars)" \
 *     --class io.paritas.cli.spark.jobs.KeepJoin examples/target/paritas-examples-0.1.0-SNAPSHOT.jar \
 *     rs-4-1 300000
 * </pre>
 *
 * <p>Arguments: a code, which needs as many executors as it has units, and the number of rows of each table and of the join. Values
 * are the same in each run.
 */
public final class KeepJoin {
    /** Orders with the discounts of as many customers; both tables are shuffled. */
    private static final String JOIN = """
            SELECT /*+ MERGE(customers) */ region, cents * (100 - percent) DIV 100 AS price
            FROM (SELECT pmod(xxhash64(id, 1), :rows) AS customer, pmod(xxhash64(id, 2), 100000) AS cents
                  FROM range(:rows)) AS orders
            JOIN (SELECT id AS customer, pmod(xxhash64(id, 3), 3) AS region, pmod(xxhash64(id, 4), 50) AS percent
                  FROM range(:rows)) AS customers USING (customer)""";

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
            Dataset<Row> join = join(spark, Long.parseLong(arguments[1]), computed);
            Dataset<Row> kept = ErasureCoded.persist(join, arguments[0]);
            long once = computed.value();
            print("kept: %d rows in %.1f s, %s", once, seconds(start), ErasureCoded.health(kept));
            List<Row> before = ask(kept, Fault.NONE);
            List<Row> after = ask(kept, new Fault(0, true));
            UnitMetrics units = ErasureCoded.metrics(kept);
            double decoding = units.decodeNanos().value() / 1e9;
            print("decoded: %d partitions in %.2f s", units.decoded().value(), decoding);
            print("computed again: %d rows", computed.value() - once);
            if (computed.value() != once || !after.equals(before)) {
                throw new IllegalStateException("what is kept must give the same answer without computing it again");
            }
        }
    }

    private static Dataset<Row> join(SparkSession spark, long rows, LongAccumulator computed) {
        Dataset<Row> join = spark.sql(JOIN, Map.of("rows", rows));
        MapFunction<Row, Row> count = row -> {
            computed.add(1);
            return row;
        };
        return join.map(count, Encoders.row(join.schema()));
    }

    private static List<Row> ask(Dataset<Row> join, Fault fault) {
        long start = System.nanoTime();
        List<Row> answer =
                fault.in(join).groupBy("region").sum("price").orderBy("region").collectAsList();
        print("%s: %s in %.1f s", fault, answer, seconds(start));
        return answer;
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
