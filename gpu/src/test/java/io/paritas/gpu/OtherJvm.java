/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Programs in JVMs of their own, for what a JVM decides or suffers once. */
public final class OtherJvm {
    /** The class path of this JVM. */
    public static final String HERE = System.getProperty("java.class.path");

    private OtherJvm() {}

    /**
     * Runs a program until its end, which must be a good one.
     *
     * @param temporary its folder for temporary files
     * @param environment beside that of this JVM
     * @return the lines that it printed
     */
    public static List<String> run(
            Class<?> program, String classPath, Path temporary, Map<String, String> environment, String... options) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto"));
        command.add("-Djava.io.tmpdir=" + temporary);
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(Arrays.asList(options));
        command.addAll(List.of("-cp", classPath, program.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            return output.lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
