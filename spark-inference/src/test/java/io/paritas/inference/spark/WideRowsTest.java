/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ParitasPlugin;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of which few fit into the heap, in a process of 512 MB. */
class WideRowsTest {
    private static final int ROWS = 200;
    private static final int WIDTH = 1_500_000;

    @TempDir
    private Path folder;

    /** Predicts with each of the functions; prints a line for each. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            SparkSession spark = SparkSession.builder()
                    .master("local[2]")
                    .config("spark.ui.enabled", "false")
                    .config("spark.driver.host", "localhost")
                    .config("spark.driver.bindAddress", "127.0.0.1")
                    .config("spark.plugins", ParitasPlugin.class.getName())
                    .config("spark.sql.shuffle.partitions", "2")
                    .getOrCreate();
            spark.sparkContext().setLogLevel("ERROR");
            spark.range(0, ROWS, 1, 2)
                    .selectExpr("id", "repeat('x', " + WIDTH + ") AS wide")
                    .createOrReplaceTempView("t");
            for (String function : List.of("predict", "coded_predict")) {
                Row row = spark.sql("SELECT count(*), sum(length(wide)), sum(answer.prediction[0]) FROM (SELECT *, "
                                + function + "('" + arguments[0] + "', id, 1, 1) AS answer FROM t)")
                        .first();
                System.out.println(function + " " + row);
            }
            spark.stop();
        }
    }

    private static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
        command.add(Program.class.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    @Test
    void arePredictedInLittleMemory() throws IOException, InterruptedException {
        Path model = LocalSession.MODEL.write(folder);
        LocalSession.MODEL.parity(2, 1, Map.of()).write(folder);
        File output = folder.resolve("output.txt").toFile();
        Process process = new ProcessBuilder(command(model.toString()))
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        double sum = 0;
        for (int id = 0; id < ROWS; id++) {
            sum += LocalSession.MODEL.predict(new float[] {id, 1, 1})[0];
        }
        String answer = " [" + ROWS + "," + (long) ROWS * WIDTH + "," + sum + "]";
        assertThat(Files.readString(output.toPath())).contains("predict" + answer, "coded_predict" + answer);
    }
}
