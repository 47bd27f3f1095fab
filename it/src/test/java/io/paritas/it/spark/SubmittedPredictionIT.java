/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.SparkHome;
import io.paritas.it.LongTest;
import io.paritas.spark.ParitasPlugin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
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

    @LongTest
    @Test
    void reconstructsAndReleasesItsExecutors() throws Exception {
        SPARK.endApplication();
        Map<String, String> settings = new HashMap<>(SPARK.settings());
        settings.put("spark.plugins", ParitasPlugin.class.getName());
        settings.put("spark.dynamicAllocation.enabled", "true");
        settings.put("spark.dynamicAllocation.shuffleTracking.timeout", "1s");
        settings.put("spark.dynamicAllocation.executorIdleTimeout", "1s");
        settings.put("spark.dynamicAllocation.initialExecutors", "3");
        Process program = SPARK.cluster()
                .submit(
                        SharedSpark.tests(),
                        PredictingProgram.class.getName(),
                        SparkHome.paritas(),
                        settings,
                        KnownAnswers.exact(folder, 2, 1).path().toString());

        assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("reconstructed\nexecutors 0\n");
        assertThat(program.waitFor()).isZero();
    }
}
