/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.apache.hadoop.util.NativeCodeLoader;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
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
    void whatIsUsualIsNoWarning() throws Exception {
        Process driver = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Dparitas.console=warn",
                        "-Dlog4j2.configurationFile=classpath:io/paritas/cli/spark/log4j2.properties",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Driver.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();

        String written = new String(driver.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(written.lines().map(line -> line.replaceFirst("^\\S+ ", "")))
                .containsExactly(
                        "WARN TaskSetManager: Lost task 0.0 in stage 2.0 (TID 2) (10.0.0.7 executor 2):"
                                + " ExecutorLostFailure (it exited)",
                        "WARN InstanceSupervisor: an instance is lost");
    }
}
