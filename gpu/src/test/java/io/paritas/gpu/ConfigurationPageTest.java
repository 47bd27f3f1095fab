/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration.md} is the settings of the code. After a change: {@code -Dio.paritas.test.writeDocs=true}. */
class ConfigurationPageTest {
    private static final Path PAGE = Path.of("..", "docs", "configuration.md");
    private static final String BEGIN = "<!-- gpu: generated -->\n";
    private static final String END = "<!-- end -->";

    @Test
    void thePageIsUpToDate() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END, begin);
        if (Boolean.getBoolean("io.paritas.test.writeDocs")) {
            Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(table());
        }
    }

    private static String table() {
        return "| System property | Default | Unit | Meaning |\n|---|---|---|---|\n"
                + Arrays.stream(Setting.values())
                        .map(s ->
                                "| `" + s.key + "` | `" + s.defaultValue + "` | " + s.unit + " | " + s.meaning + " |\n")
                        .collect(Collectors.joining());
    }
}
