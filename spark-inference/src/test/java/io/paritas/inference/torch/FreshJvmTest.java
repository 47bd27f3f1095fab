/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.inference.Device;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.TestGraphs;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the engine tells in a JVM of its own. */
class FreshJvmTest {
    private static final String NEEDS =
            " (it needs org.bytedeco's jars pytorch, openblas and javacpp, each with the classifier of this system; glibc 2.35"
                    + " or newer on Linux x86-64, or macOS on ARM, or Windows; and about 450 MB for its"
                    + " libraries in ~/.javacpp, or where -Dorg.bytedeco.javacpp.cachedir says)";

    /** The program that runs there. */
    static final class Main {
        public static void main(String[] arguments) {
            ModelEngine engine = new TorchEngine();
            if (Boolean.getBoolean("test.interrupt")) {
                Thread.currentThread().interrupt();
                engine.unavailable(Device.CPU);
                System.out.println("interrupted: " + Thread.interrupted());
            }
            for (String inTheWay : arguments) {
                System.out.println("before: " + engine.unavailable(Device.CPU).orElse("available"));
                new File(inTheWay).delete();
            }
            for (Device device : Device.values()) {
                System.out.println(device + ": " + engine.unavailable(device).orElse("available"));
            }
            ModelFile file = TestGraphs.small(1).toModelFile();
            ModelEngines.load(file, ModelOptions.DEFAULT).close();
            System.out.println("another engine runs");
            try {
                ModelOptions libtorch = ModelOptions.DEFAULT.withEngine("libtorch");
                ModelEngines.load(file, libtorch).close();
                ModelEngines.load(file, libtorch).close();
            } catch (ModelException e) {
                System.out.println("ModelException: " + e.getMessage());
            }
        }
    }

    private static String run(String classPath, String... flags) throws IOException, InterruptedException {
        return run(classPath, List.of(), flags);
    }

    private static String run(String classPath, List<String> arguments, String... flags)
            throws IOException, InterruptedException {
        Process process = start(classPath, arguments, flags);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    private static Process start(String classPath, List<String> arguments, String... flags) throws IOException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-Dorg.apache.logging.log4j.level=INFO", "-cp", classPath, Main.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String classPath(Predicate<String> jars) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> jars.test(new File(entry).getName()))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void onlyTheFirstModelSaysWhyItIsNotOnAGpu() throws Exception {
        String output = run(classPath(any -> true));
        assumeTrue(output.contains("CPU: available"), "skipped: " + output);
        assumeTrue(!output.contains("CUDA: available"), "skipped: there is a GPU");
        assertThat(output)
                .containsPattern("INFO .*Paritas: libtorch runs on the CPU")
                .containsOnlyOnce("Paritas: libtorch runs on the CPU: LibTorch finds no CUDA device: it needs a GPU,"
                        + " its driver, and the artifact org.bytedeco:pytorch with a -gpu classifier in"
                        + " place of the one for CPUs");
    }

    /** Its task is interrupted while it unpacks them, or its process ends: the ones after it have LibTorch all the same. */
    @Test
    void librariesAreUnpackedWhateverBecomesOfTheFirstToDoSo(@TempDir Path folder) throws Exception {
        LibTorch.unavailable(Device.CPU).ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
        String cache = "-Dorg.bytedeco.javacpp.cachedir=" + folder;
        String first = run(classPath(any -> true), cache, "-Dtest.interrupt=true");
        assertThat(first).contains("CPU: available", "interrupted: true");

        Path library = library(folder, System.mapLibraryName("torch_cpu"));
        long size = Files.size(library);
        try (FileChannel half = FileChannel.open(library, StandardOpenOption.WRITE)) {
            half.truncate(size / 2);
        }
        assertThat(run(classPath(any -> true), cache)).contains("CPU: available");
        assertThat(library).hasSize(size);
    }

    /** As on a disk that is full for a while: tasks after it would have no engine until the executor is another one. */
    @Test
    void librariesMayBeUnpackedLater(@TempDir Path folder) throws Exception {
        LibTorch.unavailable(Device.CPU).ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
        Path inTheWay = Files.createFile(
                folder.resolve(Path.of(classPath(jar -> jar.matches("openblas-.*-(linux|macosx|windows)-.*")))
                        .getFileName()));
        String output =
                run(classPath(any -> true), List.of(inTheWay.toString()), "-Dorg.bytedeco.javacpp.cachedir=" + folder);
        assertThat(output)
                .contains("before: LibTorch does not load here: its libraries cannot be unpacked into " + folder + ": ")
                .contains("CPU: available");
    }

    private static Path library(Path folder, String name) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    @Test
    void withoutItsJarsItSaysSoAndNothingElseBreaks() throws Exception {
        String refusal = "LibTorch does not load here: java.lang.ClassNotFoundException:"
                + " org.bytedeco.javacpp.Loader" + NEEDS;
        String without = classPath(jar -> !jar.matches("(pytorch|openblas|javacpp).*"));
        refuses(run(without), refusal);
    }

    @Test
    void withoutTheLibrariesOfThisSystemItSaysSoAndNothingElseBreaks() throws Exception {
        String refusal = "LibTorch does not load here: java.lang.UnsatisfiedLinkError: Could not find"
                + " jniopenblas_nolapack in class, module, and library paths." + NEEDS;
        refuses(
                run(classPath(jar -> !jar.matches("(pytorch|openblas|javacpp)-.*-(linux|macosx|windows)-.*"))),
                refusal);
    }

    private static void refuses(String output, String refusal) {
        assertThat(output)
                .contains("AUTO: " + refusal, "CPU: " + refusal, "CUDA: " + refusal)
                .contains("another engine runs")
                .contains("ModelException: the engine 'libtorch' was asked for, but " + refusal);
    }
}
