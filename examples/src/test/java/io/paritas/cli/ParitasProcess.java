/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The program in a JVM of its own, which has no GPU, or the module gpu's emulator of one.
 *
 * @param output both streams
 */
public record ParitasProcess(int status, String output) {
    private static final Path EMULATOR =
            Path.of("..", "gpu", "target", "emulator").toAbsolutePath();

    public static ParitasProcess withoutGpu(Object... arguments) throws IOException, InterruptedException {
        return in(Path.of(""), arguments);
    }

    /** Runs the program in a folder. */
    public static ParitasProcess in(Path folder, Object... arguments) throws IOException, InterruptedException {
        return run(folder, "", "", arguments);
    }

    /** Runs the program with a folder in front of its class path. */
    public static ParitasProcess behind(Path folder, Object... arguments) throws IOException, InterruptedException {
        return run(Path.of(""), folder + File.pathSeparator, "", arguments);
    }

    public static ParitasProcess onEmulator(Object... arguments) throws IOException, InterruptedException {
        assertThat(EMULATOR.resolve("libcuda.so.1"))
                .as("the emulator that the module gpu builds")
                .exists();
        return run(Path.of(""), "", EMULATOR.toString(), arguments);
    }

    private static ParitasProcess run(Path folder, String before, String libraries, Object... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"));
        // The emulator is slow: little data has to be enough for several transfers and a generated program.
        command.addAll(List.of("-Dio.paritas.gpu.staging=1", "-Dio.paritas.gpu.generate=1"));
        command.addAll(List.of("-cp", before + System.getProperty("java.class.path"), Main.class.getName()));
        Arrays.stream(arguments).map(Object::toString).forEach(command::add);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toAbsolutePath().toFile())
                .redirectErrorStream(true);
        builder.environment().put("LD_LIBRARY_PATH", libraries);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new ParitasProcess(process.waitFor(), output);
    }
}
