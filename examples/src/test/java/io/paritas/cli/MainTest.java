/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the program ends where something of Java's or of its own is not there. */
class MainTest {
    private static ParitasProcess run(List<String> options, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(options);
        command.add(Main.class.getName());
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new ParitasProcess(process.waitFor(), output);
    }

    private static String ownClasses() throws Exception {
        return Path.of(Main.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
    }

    /** By 1 some commands say that they have found damage. */
    @ParameterizedTest
    @CsvSource({"verify, 3", "screen, 3", "encode, 1"})
    void aJarThatIsNotThereIsTold(String command, int status) throws Exception {
        ParitasProcess ended = run(List.of("-cp", ownClasses()), command, "units");
        assertThat(ended.output())
                .matches("paritas: no jar has picocli\\.[\\w.$]+: unpack the distribution of Paritas anew\n");
        assertThat(ended.status()).isEqualTo(status);
    }

    @Test
    void theStackTraceIsThereForTheAsking() throws Exception {
        ParitasProcess ended = run(List.of("-cp", ownClasses()), "--verbose", "verify", "units");
        assertThat(ended.output())
                .startsWith("paritas: no jar has picocli.")
                .contains("\n\tat io.paritas.cli.Main.main(");
        assertThat(ended.status()).isEqualTo(3);
    }

    /** As of a Java that jlink has made: without java.management the options of a JVM with too little memory cannot be told. */
    @Test
    void aModuleThatIsNotThereIsTold(@TempDir Path folder) throws Exception {
        Path units = folder.resolve("units");
        assertThat(ParitasProcess.withoutGpu(
                                "encode", Files.write(folder.resolve("file"), new byte[1 << 20]), "--out", units)
                        .status())
                .isZero();
        ParitasProcess ended = run(
                List.of(
                        "--limit-modules=java.base",
                        "-XX:MaxDirectMemorySize=64k",
                        "-cp",
                        System.getProperty("java.class.path")),
                "verify",
                units.toString());
        assertThat(ended.output())
                .isEqualTo(
                        "paritas: this Java lacks the module with java.lang.management.ManagementFactory: take a whole JDK\n");
        assertThat(ended.status()).isEqualTo(3);
    }
}
