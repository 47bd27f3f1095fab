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
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import scala.jdk.javaapi.CollectionConverters;

/** What screening says of the application that runs. */
final class ScreeningResults {
    private ScreeningResults() {}

    /** The lines of the report; none if there is no file. */
    static List<JsonNode> findings(Path report) throws IOException {
        List<JsonNode> findings = new ArrayList<>();
        for (String line : Files.exists(report) ? Files.readAllLines(report) : List.<String>of()) {
            findings.add(new ObjectMapper().readTree(line));
        }
        return findings;
    }

    /** A metric {@code screening.*} of the driver. */
    static long gauge(String name) {
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
