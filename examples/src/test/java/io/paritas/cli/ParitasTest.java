/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import picocli.CommandLine;

/** The command line of {@code main}, which knows the named command only. */
class ParitasTest {
    @Test
    void knowsOneCommandIfThatIsNamedFirst() {
        for (String[] arguments : new String[][] {{"encode", "--help"}, {"--verbose", "encode"}}) {
            assertThat(Paritas.commandLineFor(arguments).getSubcommands()).containsOnlyKeys("encode");
        }
    }

    @Test
    void knowsAllWhereNoneIsNamedFirst() {
        var all = Paritas.commandLine().getSubcommands().keySet();
        for (String[] arguments : new String[][] {{}, {"--help"}, {"encod"}, {"help", "encode"}}) {
            assertThat(Paritas.commandLineFor(arguments).getSubcommands()).containsOnlyKeys(all);
        }
    }

    @Test
    void helpOfACommandIsWhatTheCommandPrints() {
        assertThat(printed("help", "encode"))
                .contains("\nUsage: paritas encode ")
                .isEqualTo(printed("encode", "--help"));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void outputThatIsLostIsAFailure() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Paritas.class.getName(),
                        "--version")
                .redirectOutput(Path.of("/dev/full").toFile())
                .start();
        String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(err)
                .isEqualTo(
                        "paritas: the output could not be written completely: the disk may be full, or a pipe closed\n");
    }

    private static String printed(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine program = Paritas.commandLineFor(arguments).setOut(new PrintWriter(out));
        assertThat(program.execute(arguments)).isZero();
        return out.toString();
    }
}
