/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ParitasPlugin;
import io.paritas.spark.ec.shuffle.CodedShuffleManager;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/monitoring.md} has the metrics that a cluster publishes, and no others. */
class MonitoringPageIT {
    private static final long LIMIT = Duration.ofMinutes(1).toNanos();
    private static final String PLUGIN = ".plugin.io.paritas.spark.ParitasPlugin.";

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    private Path folder;

    /** Of the driver, or of executors. */
    private Set<String> published(boolean driver) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.contains(PLUGIN) && name.contains(".driver.") == driver)
                    .map(name -> name.substring(name.indexOf(PLUGIN) + PLUGIN.length(), name.lastIndexOf('.')))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** The first column of the first table after a heading. */
    private static Set<String> table(String page, String heading) throws IOException {
        String text = Files.readString(Path.of("../docs", page))
                .split(heading, 2)[1]
                .replaceFirst("(?s).*?\n\\|[- |]+\n", "");
        return Pattern.compile("^\\| `([\\w.]+)` ", Pattern.MULTILINE)
                .matcher(text.split("\n\n", 2)[0])
                .results()
                .map((MatchResult row) -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void allMetricsAreOnThePages() throws Exception {
        SPARK.session(Map.of(
                "spark.plugins",
                ParitasPlugin.class.getName(),
                "spark.shuffle.manager",
                CodedShuffleManager.class.getName(),
                "spark.paritas.screen",
                "audit",
                "spark.metrics.conf.*.sink.csv.class",
                "org.apache.spark.metrics.sink.CsvSink",
                "spark.metrics.conf.*.sink.csv.period",
                "1",
                "spark.metrics.conf.*.sink.csv.directory",
                folder.toString()));
        Set<String> executors = table("monitoring.md", "### Of each executor");
        Set<String> driver = table("monitoring.md", "### Of the driver");
        driver.addAll(table("screening.md", "### Blame"));
        long end = System.nanoTime() + LIMIT;
        while (System.nanoTime() < end
                && !(published(true).containsAll(driver) && published(false).containsAll(executors))) {
            Thread.sleep(100);
        }

        assertThat(published(false)).as("of executors").isEqualTo(executors);
        assertThat(published(true)).as("of the driver").isEqualTo(driver);
        SPARK.endApplication();
    }
}
