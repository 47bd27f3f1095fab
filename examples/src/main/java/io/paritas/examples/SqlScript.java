/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs scripts in SQL, in one session, statement by statement, and prints each with its result, as a notebook does.
 *
 * <pre>
 * spark-submit --jars "$(bin/paritas spark-jars)" \
 *     --conf spark.plugins=io.paritas.spark.ParitasPlugin \
 *     --class io.paritas.examples.SqlScript examples/target/paritas-examples-0.1.0-SNAPSHOT.jar \
 *     examples/src/main/sql/classify.sql model=model.onnx images=images/
 * </pre>
 *
 * <p>Arguments: files of the driver, with a semicolon at the end of each statement's last line, and values for the names
 * that they have in braces, {@code ${model}}.
 */
public final class SqlScript {
    private static final int ROWS = 20;

    private SqlScript() {}

    public static void main(String[] arguments) throws IOException {
        Map<Boolean, List<String>> pairs =
                Stream.of(arguments).collect(Collectors.partitioningBy(argument -> argument.contains("=")));
        if (pairs.get(false).isEmpty()) {
            throw new IllegalArgumentException("the arguments are SCRIPT ... NAME=VALUE ...");
        }
        List<String> statements = new ArrayList<>();
        for (String script : pairs.get(false)) {
            statements.addAll(statements(Path.of(script)));
        }
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            for (String pair : pairs.get(true)) {
                String[] parts = pair.split("=", 2);
                spark.conf().set(parts[0], parts[1]);
            }
            for (String statement : statements) {
                System.out.println(statement + ";");
                print(spark.sql(statement).takeAsList(ROWS));
            }
        }
    }

    private static List<String> statements(Path script) throws IOException {
        List<String> statements = new ArrayList<>();
        for (String part : Files.readString(script).split(";[ \t]*(\r?\n|$)", -1)) {
            if (!part.isBlank()) {
                statements.add(part.strip());
            }
        }
        return statements;
    }

    private static void print(List<Row> rows) {
        rows.forEach(row -> System.out.println("  " + row.mkString("  ")));
        System.out.println();
    }
}
