/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the program ends where something of Java's or of its own is not there. */
class MainTest {
    private static ParitasProcess run(List<String> options, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(options);
        command.add(Main.class.getName());
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // Java says on standard error that it has taken them.
        builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        Process process = builder.start();
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

    /** As where a Java that jlink has made lacks a module. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    java/lang/management/ManagementFactory          | this Java lacks the module with java.lang.management.ManagementFactory: take a whole JDK
                    com/sun/management/OperatingSystemMXBean        | this Java lacks the module with com.sun.management.OperatingSystemMXBean: take a whole JDK
                    org/apache/hadoop/conf/Configuration            | no jar has org.apache.hadoop.conf.Configuration: look at HADOOP_HOME or SPARK_HOME, if one is set, or unpack the distribution of Paritas anew
                    io/paritas/erasure/Erasures                     | no jar has io.paritas.erasure.Erasures: unpack the distribution of Paritas anew
                    """)
    void aClassThatIsNotThereIsTold(String name, String told) {
        assertThat(Main.missing(new IllegalStateException(new NoClassDefFoundError(name))))
                .contains(told);
        assertThat(Main.missing(new IllegalStateException("no class at all"))).isEmpty();
    }
}
