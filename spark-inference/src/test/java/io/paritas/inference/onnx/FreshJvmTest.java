/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.inference.Device;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.TestGraphs;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the engine tells in a JVM of its own. */
class FreshJvmTest {

    /** The program that runs there. */
    static final class Main {
        public static void main(String[] arguments) {
            ModelEngine engine = new OnnxRuntimeEngine();
            if (arguments.length > 0) {
                System.out.println("before: " + engine.unavailable(Device.CPU).orElse("available"));
                new File(arguments[0]).mkdir();
            }
            for (Device device : Device.values()) {
                System.out.println(device + ": " + engine.unavailable(device).orElse("available"));
            }
            try {
                ModelEngines.load(ModelFile.of(new byte[9]), ModelOptions.DEFAULT.withEngine("onnxruntime"));
            } catch (ModelException e) {
                System.out.println("ModelException: " + e.getMessage());
            }
            if (engine.unavailable(Device.AUTO).isEmpty()) {
                ModelFile file = TestGraphs.small(1).toModelFile();
                engine.load(file, ModelOptions.DEFAULT).close();
                engine.load(file, ModelOptions.DEFAULT).close();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> loadLate(engine, file)));
            }
        }
    }

    /** ONNX Runtime frees its environment in another hook. */
    private static void loadLate(ModelEngine engine, ModelFile file) {
        for (int load = 0; load < 100; load++) {
            try {
                engine.load(file, ModelOptions.DEFAULT).close();
                System.out.println("late: loaded");
            } catch (ModelException e) {
                System.out.println("late: " + e.getMessage());
            }
        }
    }

    /** A program whose first model is to be loaded as it ends. */
    static final class Late {
        public static void main(String[] arguments) {
            ModelEngine engine = new OnnxRuntimeEngine();
            ModelFile file = TestGraphs.small(1).toModelFile();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    engine.load(file, ModelOptions.DEFAULT).close();
                } catch (ModelException e) {
                    System.out.println("late: " + e.getMessage());
                }
                System.out.println("CPU: " + engine.unavailable(Device.CPU).orElse("available"));
            }));
        }
    }

    /** A program that ends while a model is being loaded. */
    static final class Amid {
        private static volatile String outcome = "";

        public static void main(String[] arguments) {
            ModelEngine engine = new OnnxRuntimeEngine();
            GraphBuilder builder = new GraphBuilder(64);
            int[] layers = IntStream.generate(() -> 64).limit(500).toArray();
            ModelFile file =
                    builder.output(builder.hidden(builder.input(), layers)).toModelFile();
            engine.load(file, ModelOptions.DEFAULT).close();
            Thread load = new Thread();
            while (!isInOnnxRuntime(load)) {
                if (!load.isAlive()) { // a load was over before it was seen
                    load = new Thread(() -> {
                        engine.load(file, ModelOptions.DEFAULT).close();
                        outcome = "loaded";
                    });
                    outcome = "";
                    load.start();
                }
            }
            Thread last = load;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    last.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                System.out.println("amid: " + outcome);
            }));
            System.exit(0);
        }

        private static boolean isInOnnxRuntime(Thread load) {
            return Arrays.stream(load.getStackTrace())
                    .limit(1)
                    .anyMatch(frame -> frame.getClassName().equals("ai.onnxruntime.OrtSession")
                            && frame.getMethodName().equals("createSession"));
        }
    }

    /** A program whose temporary folder has no path, as if its name had a letter that the locale lacks. */
    static final class Nameless {
        public static void main(String[] arguments) {
            System.setProperty("java.io.tmpdir", "/\0");
            Main.main(arguments);
        }
    }

    private static String run(String classPath, String... flags) throws IOException, InterruptedException {
        return run(Main.class, classPath, List.of(), flags);
    }

    private static String run(Class<?> program, String classPath, List<String> arguments, String... flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-Dorg.apache.logging.log4j.level=INFO", "-cp", classPath, program.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    @Test
    void whereItLoadsItIsAvailable() throws Exception {
        assertThat(run(classPath()))
                .contains("AUTO: available", "CPU: available", "ModelException: onnxruntime cannot");
    }

    @Test
    void modelsAreNotLoadedWhenTheJvmEnds() throws Exception {
        assertThat(run(classPath()).lines().filter(line -> line.startsWith("late: ")))
                .hasSize(100)
                .containsOnly(
                        "late: onnxruntime loads models until the JVM ends, and this one does: nothing is wrong with"
                                + " the model");
    }

    /** Its environment would be freed meanwhile, and the JVM might end before its other hooks have run. */
    @Test
    void aLoadThatIsOnItsWayWhenTheJvmEndsIsNotDisturbed() throws Exception {
        assertThat(run(Amid.class, classPath(), List.of()).lines()).contains("amid: loaded");
    }

    /** ONNX Runtime cannot add its shutdown hook then. */
    @Test
    void itsLibraryIsNotLoadedWhenTheJvmEnds() throws Exception {
        String ending =
                "onnxruntime loads models until the JVM ends, and this one does: nothing is wrong with the model";
        assertThat(run(Late.class, classPath(), List.of()).lines()).contains("late: " + ending, "CPU: " + ending);
    }

    @Test
    void onlyTheFirstModelSaysWhyItIsNotOnAGpu() throws Exception {
        String output = run(classPath());
        assumeTrue(!output.contains("CUDA: available"), "skipped: there is a GPU");
        assertThat(output)
                .containsPattern("INFO .*Paritas: onnxruntime runs on the CPU")
                .containsOnlyOnce("Paritas: onnxruntime runs on the CPU: this build of ONNX Runtime has no CUDA"
                        + " provider: put the artifact onnxruntime_gpu on the class path instead of onnxruntime");
    }

    @Test
    void withoutItsJarItSaysWhatToPutOnTheClassPath() throws Exception {
        String without = Arrays.stream(classPath().split(File.pathSeparator, -1))
                .filter(entry -> !new File(entry).getName().startsWith("onnxruntime"))
                .collect(Collectors.joining(File.pathSeparator));
        String refusal = "ONNX Runtime's library cannot be loaded (java.lang.ClassNotFoundException:"
                + " ai.onnxruntime.OrtEnvironment): put com.microsoft.onnxruntime:onnxruntime for this system on the class"
                + " path, and let java.io.tmpdir be a folder from which libraries can be loaded";
        assertThat(run(without))
                .contains("AUTO: " + refusal, "CPU: " + refusal, "CUDA: " + refusal)
                .contains("ModelException: the engine 'onnxruntime' was asked for, but " + refusal);
    }

    /** As on a disk that is full for a while: tasks after it would have no engine until the executor is another one. */
    @Test
    void aPlaceForItsLibraryMayComeLater(@TempDir Path folder) throws Exception {
        String later = folder.resolve("later").toString();
        assertThat(run(Main.class, classPath(), List.of(later), "-Djava.io.tmpdir=" + later))
                .contains("before: ONNX Runtime's library cannot be loaded (java.nio.file.NoSuchFileException: ")
                .contains("CPU: available");
    }

    @Test
    void withoutANameForItsPlaceItSaysSo() throws Exception {
        String refusal =
                "ONNX Runtime's library cannot be loaded (java.io.IOException: the locale of this JVM lacks letters of"
                        + " java.io.tmpdir, set LC_ALL=C.UTF-8: ";
        assertThat(run(Nameless.class, classPath(), List.of()))
                .contains("CPU: " + refusal)
                .contains("ModelException: the engine 'onnxruntime' was asked for, but " + refusal);
    }

    @Test
    void itSaysHowMuchItsLibraryNeeds(@TempDir Path folder) throws Exception {
        Library.requireRoom(folder, 1);
        assertThatIOException()
                .isThrownBy(() -> Library.requireRoom(folder, Long.MAX_VALUE - (1 << 20)))
                .withMessageMatching("it needs 8796093022207 MiB in " + folder + ", which has \\d+");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void withoutAPlaceForItsLibraryItSaysSo(@TempDir Path folder) throws Exception {
        assertThat(run(classPath(), "-Djava.io.tmpdir=" + folder.resolve("missing")))
                .contains("CPU: ONNX Runtime's library cannot be loaded (java.nio.file.NoSuchFileException: ")
                .contains("let java.io.tmpdir be a folder from which libraries can be loaded");
    }
}
