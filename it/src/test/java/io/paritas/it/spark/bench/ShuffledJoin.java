/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A query of TPC-DS's kind: sales are joined with returns, both are shuffled by ticket and item, and each partition is sorted by price. The
 * shuffled bytes are random, so compression does not help.
 *
 * @param maps tasks of each map stage
 * @param partitions reducers
 */
record ShuffledJoin(long sales, int maps, int partitions) implements Serializable {
    /** Of random bytes in a row of sales, in longs. */
    private static final int WIDTH = 14;

    /** About how many bytes a row of sales is in a map output. */
    static final int ROW_BYTES = 140;

    private static final int RETURNED = 8;

    /** The rows of a query that has not run: its shuffles are made once, and stay while this is referred to. */
    JavaRDD<InternalRow> rows(SparkSession session) {
        List<String> columns = Stream.concat(
                        Stream.of(
                                "id AS ticket", "pmod(hash(id), 18000) AS item", "pmod(hash(id, 3), 100000) AS price"),
                        IntStream.range(0, WIDTH).mapToObj(column -> "xxhash64(id, " + column + ") AS p" + column))
                .toList();
        Dataset<Row> sold = session.range(0, sales, 1, maps).selectExpr(columns.toArray(String[]::new));
        Dataset<Row> returned = session.range(0, sales / RETURNED, 1, maps)
                .selectExpr(
                        "id * " + RETURNED + " AS ticket",
                        "pmod(hash(id * " + RETURNED + "), 18000) AS item",
                        "id AS reason");
        return sold.repartition(partitions, sold.col("ticket"), sold.col("item"))
                .join(
                        returned.hint("merge"),
                        CollectionConverters.asScala(List.of("ticket", "item")).toSeq(),
                        "left_outer")
                .sortWithinPartitions("price", "ticket")
                .queryExecution()
                .toRdd()
                .toJavaRDD();
    }

    /** What a reducer reads, in its order: one number. */
    static Iterator<Long> digest(Iterator<InternalRow> rows) {
        long digest = 0;
        while (rows.hasNext()) {
            digest = digest * 31 + rows.next().hashCode();
        }
        return List.of(digest).iterator();
    }
}
