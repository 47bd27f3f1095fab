/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.inference.TensorSpec;
import java.io.IOException;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** A program for {@code spark-submit}: its executors use a class of Paritas. */
public final class SubmittedProgram {
    private SubmittedProgram() {}

    /** Prints the sum of what its executors have worked out. */
    public static void main(String[] arguments) throws IOException {
        try (SparkSession session = SparkSession.builder().getOrCreate()) {
            int sum = new JavaSparkContext(session.sparkContext())
                    .parallelize(List.of(1, 2, 3), 3)
                    .map(size -> new TensorSpec("x", List.of(size, 2)).size())
                    .reduce(Integer::sum);
            System.out.println("sum " + sum);
        }
    }
}
