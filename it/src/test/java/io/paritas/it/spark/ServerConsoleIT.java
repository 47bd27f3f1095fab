/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.util.NativeCodeLoader;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What of its log the driver of a server writes for its user. */
class ServerConsoleIT {

    /** Logs as a driver does. */
    static final class Driver {
        public static void main(String[] arguments) {
            Logger tasks = LoggerFactory.getLogger("org.apache.spark.scheduler.TaskSetManager");
            tasks.warn("Lost task 0.0 in stage 1.0 (TID 1) (10.0.0.7 executor 2): TaskKilled (Stage cancelled:"
                    + " [SPARK_JOB_CANCELLED] Job 1 cancelled  SQLSTATE: XXKDA)");
            var unused = NativeCodeLoader.isNativeCodeLoaded(); // both warn
            new SparkConf(false).set("spark.local.dir", "scratch").validateSettings();
            tasks.warn("Lost task 0.0 in stage 2.0 (TID 2) (10.0.0.7 executor 2): ExecutorLostFailure (it exited)");
            Logger paritas = LoggerFactory.getLogger("io.paritas.inference.serving.spark.InstanceSupervisor");
            paritas.info("an instance is ready");
            paritas.warn("an instance is lost");
        }
    }

    /** A load of another version would look as if tasks were lost, and each start as if something were wrong. */
    @Test
    void whatIsUsualIsNoWarning(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("log");
        ProcessBuilder command = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Dparitas.console=warn",
                        "-Dlog4j2.configurationFile=classpath:io/paritas/cli/spark/log4j2.properties",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Driver.class.getName())
                .redirectError(log.toFile());
        command.environment()
                .put("SPARK_LOCAL_IP", "127.0.0.1"); // as of the driver of a server: Spark may warn without
        Process driver = command.start();

        String written = new String(driver.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(driver.waitFor()).as(written).isZero();
        assertThat(written.lines().map(ServerConsoleIT::withoutTime))
                .containsExactly(
                        "WARN TaskSetManager: Lost task 0.0 in stage 2.0 (TID 2) (10.0.0.7 executor 2):"
                                + " ExecutorLostFailure (it exited)",
                        "WARN InstanceSupervisor: an instance is lost");
        assertThat(Files.readAllLines(log).stream().map(ServerConsoleIT::withoutTime))
                .as("its log has all")
                .contains(
                        "WARN TaskSetManager: Lost task 0.0 in stage 1.0 (TID 1) (10.0.0.7 executor 2): TaskKilled"
                                + " (Stage cancelled: [SPARK_JOB_CANCELLED] Job 1 cancelled  SQLSTATE: XXKDA)",
                        "WARN TaskSetManager: Lost task 0.0 in stage 2.0 (TID 2) (10.0.0.7 executor 2):"
                                + " ExecutorLostFailure (it exited)",
                        "INFO InstanceSupervisor: an instance is ready",
                        "WARN InstanceSupervisor: an instance is lost")
                .anyMatch(line -> line.startsWith("WARN NativeCodeLoader: Unable to load native-hadoop library"))
                .anyMatch(line -> line.startsWith("WARN SparkConf: Note that spark.local.dir will be overridden"))
                .noneMatch(line -> line.contains("resolves to a loopback address"));
    }

    private static String withoutTime(String line) {
        return line.replaceFirst("^\\S+ ", "");
    }
}
