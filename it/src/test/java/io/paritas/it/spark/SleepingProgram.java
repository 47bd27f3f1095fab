/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.io.IOException;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** A program for {@code spark-submit} that never ends by itself. */
public final class SleepingProgram {
    private SleepingProgram() {}

    public static void main(String[] arguments) throws IOException {
        try (SparkSession session = SparkSession.builder().getOrCreate()) {
            new JavaSparkContext(session.sparkContext()).parallelize(List.of(1)).foreach(row -> {
                System.out.println("runs");
                Thread.sleep(Long.MAX_VALUE);
            });
        }
    }
}
