/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.spark.ec.ErasureCodedCheckpoint;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Writes a checkpoint over three directories, of which any one may be lost, reads it, and repairs what is missing.
 *
 * <p>Arguments: three directories that the driver and all executors reach, such as {@code file:/disk1/c s3a://bucket/c file:/disk3/c}.
 */
public final class CheckpointDataset {
    private CheckpointDataset() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            throw new IllegalArgumentException("the arguments are three directories, got " + arguments.length);
        }
        List<String> directories = List.of(arguments);
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            Dataset<Row> squares = spark.range(100_000).selectExpr("id", "id * id AS square");
            ErasureCodedCheckpoint.write(squares, "rs-2-1", directories);

            Dataset<Row> again = ErasureCodedCheckpoint.read(spark, directories);
            System.out.println("rows: " + again.count());
            System.out.println("repaired: " + ErasureCodedCheckpoint.repair(spark, directories));
        }
    }
}
