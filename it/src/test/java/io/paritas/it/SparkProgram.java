/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.SparkHome;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;

/** Programs that use Spark, each in a process of its own, for its libraries and those of Hadoop's servers do not mix. */
final class SparkProgram {
    private SparkProgram() {}

    /** Runs one to its end, which must be a good one; returns the lines that it has printed. */
    static List<String> output(Class<?> program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(List.of("-cp", classPath(program), program.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }

    /** Spark, Paritas and the program. */
    private static String classPath(Class<?> program) throws Exception {
        Path own = Path.of(
                program.getProtectionDomain().getCodeSource().getLocation().toURI());
        String spark = Files.readString(Path.of(System.getProperty("paritas.spark.classpath")))
                .strip();
        return Stream.of(SparkHome.paritas().stream().map(Path::toString), Stream.of(own.toString(), spark))
                .flatMap(paths -> paths)
                .collect(Collectors.joining(File.pathSeparator));
    }
}
