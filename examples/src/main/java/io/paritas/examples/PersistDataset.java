/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.spark.ec.ErasureCoded;
import java.io.IOException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Persists a Dataset erasure-coded, in the place of {@code persist(MEMORY_ONLY_2)}: with {@code rs-2-1} one executor may be lost,
 * for half as much memory again.
 *
 * <p>The code needs as many executors as it has units, here three. {@code io.paritas.cli.spark.jobs.KeepJoin} does the same and kills
 * an executor.
 */
public final class PersistDataset {
    private PersistDataset() {}

    public static void main(String[] arguments) throws IOException {
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            Dataset<Row> squares = spark.range(1_000_000).selectExpr("id", "id * id AS square");
            Dataset<Row> kept = ErasureCoded.persist(squares, "rs-2-1");

            System.out.println("rows: " + kept.count());
            System.out.println("multiples of 7: " + kept.where("square % 7 = 0").count());
            System.out.println(ErasureCoded.health(kept));
            ErasureCoded.unpersist(kept);
        }
    }
}
