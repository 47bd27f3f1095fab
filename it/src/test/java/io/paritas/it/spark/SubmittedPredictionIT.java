/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.SparkHome;
import io.paritas.spark.ParitasPlugin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A program that has Paritas from {@code --jars}, and whose executors come and go: blocks that stay would keep them. */
class SubmittedPredictionIT {
    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    @Test
    void reconstructsAndReleasesItsExecutors() throws Exception {
        SPARK.endApplication();
        Process program = SPARK.cluster()
                .submit(
                        SharedSpark.tests(),
                        PredictingProgram.class.getName(),
                        SparkHome.paritas(),
                        Map.of(
                                "spark.plugins", ParitasPlugin.class.getName(),
                                "spark.dynamicAllocation.enabled", "true",
                                "spark.dynamicAllocation.shuffleTracking.timeout", "1s",
                                "spark.dynamicAllocation.executorIdleTimeout", "1s",
                                "spark.dynamicAllocation.initialExecutors", "3"),
                        KnownAnswers.exact(folder, 2, 1).path().toString());

        assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("reconstructed\nexecutors 0\n");
        assertThat(program.waitFor()).isZero();
    }
}
