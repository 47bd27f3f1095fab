/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServingLineTest {

    /** A program that serves at once. */
    static final class Main {
        public static void main(String[] arguments) {
            System.out.println("an agent's greeting");
            System.out.println(ServingLine.of("8020 9870"));
        }
    }

    /** Each JVM of this machine logs something, as one does that cannot have large pages. */
    @Test
    void whatAJvmSaysIsNoneOfIt() throws Exception {
        for (List<String> options : List.of(List.<String>of(), ServingLine.JVM_OPTIONS)) {
            Process process = start(options);
            try (BufferedReader output = process.inputReader(UTF_8)) {
                assertThat(ServingLine.await(output)).isEqualTo("8020 9870");
            }
        }
    }

    @Test
    void aJvmSaysItElsewhere() throws Exception {
        try (BufferedReader output = start(ServingLine.JVM_OPTIONS).inputReader(UTF_8)) {
            assertThat(output.lines()).containsExactly("an agent's greeting", "paritas: serves 8020 9870");
        }
    }

    private static Process start(List<String> options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Xlog:gc");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        return builder.start();
    }

    @Test
    void outputThatEndsBeforeHasNone() throws Exception {
        assertThat(ServingLine.await(new BufferedReader(new StringReader("[0.1s][warning][os,thread] no thread\n"))))
                .isEmpty();
    }
}
