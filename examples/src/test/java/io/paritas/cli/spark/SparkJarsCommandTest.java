/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import org.junit.jupiter.api.Test;

class SparkJarsCommandTest {
    @Test
    void printsJarsWithCommasBetween() {
        Run run = Run.paritas("spark-jars");

        assertThat(run.status()).isZero();
        assertThat(run.out().strip().split(","))
                .allMatch(jar -> jar.endsWith(".jar"))
                .anyMatch(jar -> jar.contains("/onnxruntime-"))
                .anyMatch(jar -> jar.contains("/opentelemetry-sdk-trace-"))
                .anyMatch(jar -> jar.contains("/opentelemetry-exporter-sender-jdk-"))
                .noneMatch(jar -> jar.contains("/hadoop-"));
    }

    @Test
    void printsThoseForGpusIfAsked() {
        assertThat(Run.paritas("spark-jars").out()).doesNotContain("/jcuda-");
        assertThat(Run.paritas("spark-jars", "--gpu").out().strip().split(","))
                .anyMatch(jar -> jar.contains("/onnxruntime-"))
                .anyMatch(jar -> jar.contains("/jcuda-"));
    }

    @Test
    void showsAWholeCommandLine() {
        assertThat(Run.paritas("spark-jars", "--help").out())
                .contains("spark-submit --jars \"$(paritas spark-jars)\"", "ClassifyFolder", "spark.plugins=");
    }
}
