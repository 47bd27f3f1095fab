/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.spark.ParitasPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import scala.jdk.javaapi.CollectionConverters;

/** Settings of an application that is screened, and what screening says of it. */
public final class ScreeningResults {
    private ScreeningResults() {}

    /**
     * Settings with which executors may compute wrong values, and are screened.
     *
     * @param cluster its settings
     * @param report where findings go
     */
    static Map<String, String> settings(Map<String, String> cluster, String mode, String share, Path report) {
        return Map.of(
                "spark.plugins",
                ParitasPlugin.class.getName(),
                "spark.paritas.screen",
                mode,
                "spark.paritas.screen.share",
                share,
                "spark.paritas.screen.interval",
                "100ms",
                "spark.paritas.screen.report",
                report.toString(),
                "spark.executor.extraJavaOptions",
                cluster.get("spark.executor.extraJavaOptions") + " -Dio.paritas.inference.protect.faults=true");
    }

    /** The lines of the report; none if there is no file. */
    static List<JsonNode> findings(Path report) throws IOException {
        List<JsonNode> findings = new ArrayList<>();
        for (String line : Files.exists(report) ? Files.readAllLines(report) : List.<String>of()) {
            findings.add(new ObjectMapper().readTree(line));
        }
        return findings;
    }

    /** A metric {@code screening.*} of the driver. */
    public static long gauge(String name) {
        Source plugin = CollectionConverters.asJava(
                        SparkEnv.get().metricsSystem().getSourcesByName("plugin." + ParitasPlugin.class.getName()))
                .get(0);
        return ((Number) plugin.metricRegistry()
                        .getGauges()
                        .get("screening." + name)
                        .getValue())
                .longValue();
    }
}
