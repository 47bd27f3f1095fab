/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.SparkHome;
import io.paritas.spark.ParitasPlugin;
import io.paritas.spark.ec.shuffle.CodedShuffleManager;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application of YARN, its driver in a container, too: it has Paritas from {@code --jars} and properties, and nothing else. */
class YarnIT {
    private static final int NODES = 2;

    private static final String LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";
    private static final long LIMIT_MINUTES = 5;

    @TempDir
    Path folder;

    @Test
    void nothingIsComputedAgainForALostExecutor() throws Exception {
        Map<String, String> settings = Map.ofEntries(
                Map.entry("spark.plugins", ParitasPlugin.class.getName()),
                Map.entry("spark.shuffle.manager", CodedShuffleManager.class.getName()),
                Map.entry("spark.paritas.shuffle.code", LosingProgram.CODE),
                Map.entry("spark.paritas.shuffle.minSize", "0"),
                Map.entry("spark.executor.instances", String.valueOf(LosingProgram.EXECUTORS)),
                Map.entry("spark.executor.cores", "1"),
                Map.entry("spark.executor.memory", "512m"),
                Map.entry("spark.driver.memory", "512m"),
                Map.entry("spark.executor.extraJavaOptions", LIGHT),
                Map.entry("spark.driver.extraJavaOptions", LIGHT),
                Map.entry("spark.yarn.maxAppAttempts", "1"),
                Map.entry("spark.yarn.appMasterEnv.SPARK_LOCAL_IP", "127.0.0.1"),
                Map.entry("spark.ui.enabled", "false"));
        try (YarnCluster yarn = new YarnCluster(folder, NODES)) {
            Process submitted = yarn.submit(
                    SharedSpark.tests(),
                    LosingProgram.class.getName(),
                    SparkHome.paritas(),
                    settings,
                    KnownAnswers.exact(folder, 2, 1).path().toString());

            assertThat(submitted.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES))
                    .as(yarn::log)
                    .isTrue();
            String shuffled = "shuffled 71994000, computed " + LosingProgram.ROWS;
            String kept = "kept 71994000, computed " + LosingProgram.ROWS;
            assertThat(yarn.printed()).as(yarn::log).containsExactly(shuffled, shuffled, kept, "reconstructed");
            assertThat(submitted.exitValue()).isZero();
        }
    }
}
