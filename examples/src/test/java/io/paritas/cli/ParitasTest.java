/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    /** More heap gives no thread, and no direct memory where that has a limit of its own. */
    @Test
    void whatThereIsTooLittleOfIsSaid() {
        String thread = "unable to create native thread: possibly out of memory or process/resource limits reached";
        assertThat(Paritas.shortage(thread, List.of()))
                .isEqualTo("the system gives this process no more threads (" + thread
                        + "): raise the limit of processes of"
                        + " the user (ulimit -u) or of the container, or ask for fewer threads");
        String direct = "Cannot reserve 125004 bytes of direct buffer memory (allocated: 0, limit: 65536)";
        assertThat(Paritas.shortage(direct, List.of("-Xmx1g", "-XX:MaxDirectMemorySize=64k")))
                .isEqualTo("what was asked needs more memory beside the heap than -XX:MaxDirectMemorySize allows ("
                        + direct + "): ask for less at a time, or raise it");
        for (String message : List.of("Java heap space", direct)) {
            assertThat(Paritas.shortage(message, List.of("-Xmx1g")))
                    .startsWith("what was asked needs more memory than this JVM may use, which is ")
                    .endsWith(" MiB (" + message + "): ask for less at a time, or set PARITAS_OPTS=-Xmx8g, say");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void outputThatIsLostIsAFailure() throws Exception {
        assertThat(statusOnAFullDisk("--version")).isEqualTo(1);
        assertThat(statusOnAFullDisk("screen", "--time", "1"))
                .as("1 would be a wrong processor")
                .isEqualTo(3);
    }

    private static int statusOnAFullDisk(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectOutput(Path.of("/dev/full").toFile())
                .start();
        String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        assertThat(err)
                .endsWith(
                        "paritas: the output could not be written completely: the disk may be full, or a pipe closed\n");
        return process.waitFor();
    }

    private static String printed(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine program = Paritas.commandLineFor(arguments).setOut(new PrintWriter(out));
        assertThat(program.execute(arguments)).isZero();
        return out.toString();
    }
}
