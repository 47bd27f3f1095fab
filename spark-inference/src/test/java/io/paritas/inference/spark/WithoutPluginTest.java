/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A session that has the jar, but not the plugin. */
class WithoutPluginTest {

    /** The program that runs there. */
    static final class Main {
        public static void main(String[] arguments) {
            SparkSession spark = SparkSession.builder()
                    .master("local[1]")
                    .config("spark.ui.enabled", "false")
                    .config("spark.driver.host", "localhost")
                    .config("spark.driver.bindAddress", "127.0.0.1")
                    .getOrCreate();
            String query = "SELECT coded_predict('" + arguments[0] + "', 1, 2, 3) AS answer";
            Row row = spark.sql(query).select("answer.*").head();
            System.out.println("ANSWER " + row);
            Dataset<Row> planned = spark.sql(query);
            spark.stop();
            planned.queryExecution().sparkPlan();
        }
    }

    @Test
    void predictsUncodedAndSaysWhy(@TempDir Path folder) throws IOException, InterruptedException {
        ExactModel model = ExactModel.of(3, 2, 1);
        Path path = model.write(folder);
        model.parity(2, 1, Map.of()).write(folder);
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), path.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        float[] expected = model.predict(new float[] {1, 2, 3});
        assertThat(output)
                .contains("ANSWER [ArraySeq(" + expected[0] + ", " + expected[1] + "),predicted]")
                .containsOnlyOnce(
                        "WARN PredictionStrategy: Paritas: coded_predict('" + path + "') is not coded: tasks need a"
                                + " coordinator: start the application with"
                                + " spark.plugins=io.paritas.spark.ParitasPlugin")
                .containsOnlyOnce("WARN PredictionStrategy: Paritas: coded_predict('" + path
                        + "') is not coded: the application ends");
    }
}
