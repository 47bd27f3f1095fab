/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.ModelException;
import io.paritas.inference.recommend.data.Tables;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a JVM says that lacks LibTorch. */
class FreshJvmTest {
    /** The program that runs there. */
    static final class Main {
        public static void main(String[] arguments) {
            DlrmShape shape = new DlrmShape(1, List.of(1), Tables.of(1), 1, Interaction.DOT, List.of());
            try {
                Dlrm.open(shape, 1).close();
                System.out.println("It works");
            } catch (ModelException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "(pytorch|openblas|javacpp).* ; java.lang.ClassNotFoundException: org.bytedeco.javacpp.Loader",
                "(pytorch|openblas|javacpp)-.*-(linux|macosx|windows)-.* ; java.lang.UnsatisfiedLinkError: Could not find"
                        + " jniopenblas_nolapack in class, module, and library paths."
            })
    void withoutItsJarsItSaysWhatIsMissing(String jars, String reason) throws IOException, InterruptedException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !new File(entry).getName().matches(jars))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java", "-cp", classPath, Main.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output)
                .contains("LibTorch does not load here: " + reason
                        + " (it needs org.bytedeco's jars pytorch, openblas and javacpp, each with the classifier of this"
                        + " system; glibc 2.35 or newer");
    }
}
