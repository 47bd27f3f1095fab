/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.serving.FrontEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/monitoring.md} has the metrics that {@code GET /metrics} has. Those of Spark have a test on a cluster. */
class MonitoringPageTest {
    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map((MatchResult line) -> line.group(1) + " " + line.group(2))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void allMetricsAreOnThePage() throws IOException {
        String page = Files.readString(Path.of("../docs/monitoring.md"));
        try (FrontEnd frontEnd = new FrontEnd()) {
            Set<String> families = found("^# TYPE (\\w+) (\\w+)$", PrometheusText.of(frontEnd));
            assertThat(families).hasSizeGreaterThan(5);
            assertThat(found("^\\| `(paritas_\\w+)` \\| (\\w+) \\|", page)).isEqualTo(families);
        }
    }
}
