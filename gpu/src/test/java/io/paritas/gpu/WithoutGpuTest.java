/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.KernelChoice;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each kind of machine without a usable GPU says: one sentence, in a JVM of its own. */
@Tag("machine")
class WithoutGpuTest {
    private static final String HERE = OtherJvm.HERE;

    @TempDir
    private Path temporary;

    /** Prints why there is no GPU, and what asking for the kernel comes to. */
    public static final class Program {
        public static void main(String[] arguments) {
            System.out.println(Gpu.unavailable()
                    .orElse("there is one: " + (Gpu.unavailable().isEmpty() ? Gpu.get() : "")));
            System.out.println(Gpu.unavailable().orElse("")); // a second question is no other answer
            KernelChoice choice = KernelChoice.named("auto");
            System.out.println(choice.reason() + "; " + choice.unaccelerated().orElse(""));
            try {
                System.out.println(KernelChoice.named("cuda").sentence());
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private List<String> run(String classPath, Map<String, String> environment, String... options) {
        return OtherJvm.run(Program.class, classPath, temporary, environment, options);
    }

    private void saysTwice(List<String> output, String sentence) {
        assertThat(output).hasSize(4).startsWith(sentence, sentence);
        assertThat(output.get(2)).isEqualTo("the fastest that this JVM can run; no cuda beside it: " + sentence);
        assertThat(output.get(3))
                .isEqualTo("the kernel 'cuda' was asked for by io.paritas.kernel, but " + sentence
                        + "; or leave the choice to io.paritas.kernel=auto");
    }

    @Test
    void noDriver() throws IOException {
        saysTwice(
                run(HERE, Map.of("LD_LIBRARY_PATH", "")),
                "this machine has no NVIDIA driver (libcuda.so.1); install one, version 525 or newer");
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).as("what JCuda unpacked is gone").isEmpty();
        }
    }

    @Test
    void noJCuda() {
        String classPath = Arrays.stream(HERE.split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("jcuda"))
                .collect(Collectors.joining(File.pathSeparator));
        saysTwice(
                run(classPath, Map.of()),
                "JCuda is not on the class path; add org.jcuda:jcuda and org.jcuda:jcuda-natives beside paritas-gpu");
    }

    @Test
    void noLibraryOfJCuda() {
        String classPath = Arrays.stream(HERE.split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("jcuda-natives"))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(run(classPath, Map.of()).get(0))
                .startsWith("JCuda's library cannot be loaded on Linux amd64 (")
                .endsWith("); it is made for Linux on x86-64, and java.io.tmpdir (" + temporary
                        + ") must be a folder from which libraries can be loaded");
    }

    @Test
    void noDevice() {
        saysTwice(
                run(HERE, Map.of("EMU_DEVICES", "0")),
                "CUDA finds no GPU that it can use (cuInit failed: CUDA_ERROR_NO_DEVICE); run this on a machine"
                        + " that has"
                        + " one, and check CUDA_VISIBLE_DEVICES and what the container may see");
    }

    @Test
    void anOldDriver() {
        saysTwice(
                run(HERE, Map.of("EMU_DRIVER", "11080")),
                "the NVIDIA driver knows CUDA 11.8 only; install a driver for CUDA 12.0 (525) or newer");
    }

    @Test
    void anOldGpu() {
        saysTwice(
                run(HERE, Map.of("EMU_CAPABILITY", "61")),
                "the GPU, CPU that emulates a GPU, has compute capability 6.1; 7.5 (Turing) or newer is needed");
    }

    @Test
    void aSettingThatIsWrong() {
        saysTwice(
                run(HERE, Map.of(), "-Dio.paritas.gpu.device=3"),
                "io.paritas.gpu.device must be the number of a GPU, 0 to 0 here, got 3: check CUDA_VISIBLE_DEVICES, and that"
                        + " the discovery script of Spark sees the same GPUs");
        saysTwice(
                run(HERE, Map.of(), "-Dio.paritas.gpu.device=first"),
                "io.paritas.gpu.device must be a whole number from 0 to 1023, got 'first'");
        saysTwice(
                run(HERE, Map.of(), "-Dio.paritas.gpu.staging=0"),
                "io.paritas.gpu.staging must be a whole number of MiB from 1 to 1024, got '0'");
    }

    /** Somebody else's file of the name that JCuda unpacks to is not loaded. */
    @Test
    void aFileThatWasThereIsNotLoaded() throws IOException {
        Files.writeString(temporary.resolve("libJCudaDriver-12.6.0-linux-x86_64.so"), "not a library");
        assertThat(run(HERE, Map.of()).get(0)).startsWith("there is one: CPU that emulates a GPU");
    }
}
