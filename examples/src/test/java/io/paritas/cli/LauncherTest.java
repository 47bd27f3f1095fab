/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code bin/paritas}, with a Java that only tells how it was called. */
class LauncherTest {
    private static final Path SCRIPT = Path.of("..", "bin", "paritas");

    @TempDir
    private Path home;

    @BeforeEach
    void fill() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "the script is for bash");
        Files.createDirectories(home.resolve("bin"));
        Files.copy(SCRIPT, home.resolve("bin/paritas"));
        Path java = Files.writeString(
                home.resolve("bin/java"), "#!/bin/sh\necho \"locale $LC_ALL\"\nprintf '%s\\n' \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void filesMayHaveAnyNameWithoutALocale() throws Exception {
        assertThat(paritas(Map.of())).startsWith("locale C.UTF-8\n");
        assertThat(paritas(Map.of("LC_ALL", "C"))).startsWith("locale C.UTF-8\n");
        assertThat(paritas(Map.of("LANG", "POSIX"))).startsWith("locale C.UTF-8\n");
        assertThat(paritas(Map.of("LANG", "C.UTF-8")))
                .as("a locale that will do")
                .startsWith("locale \n");
    }

    private String paritas(Map<String, String> locale) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        "/bin/bash", home.resolve("bin/paritas").toString(), "encode", "FILE")
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", home.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().putAll(locale);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
