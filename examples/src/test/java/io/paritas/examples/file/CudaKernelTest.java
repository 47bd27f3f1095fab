/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code --kernel cuda}, in JVMs of their own: without a GPU, and with the emulator of the module gpu. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class CudaKernelTest {
    private static final Path EMULATOR =
            Path.of("..", "gpu", "target", "emulator").toAbsolutePath();

    @TempDir
    private Path directory;

    private record Result(int status, String output) {}

    private Result paritas(String libraries, Object... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-Dio.paritas.gpu.staging=1", "-Dio.paritas.gpu.generate=1"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.paritas.examples.Paritas"));
        Arrays.stream(arguments).map(Object::toString).forEach(command::add);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LD_LIBRARY_PATH", libraries);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }

    private Path file() throws IOException {
        byte[] bytes = new byte[2_000_003];
        new Random(7).nextBytes(bytes);
        return Files.write(directory.resolve("file"), bytes);
    }

    @Test
    void saysWhatIsMissing() throws IOException, InterruptedException {
        Result result = paritas("", "encode", file(), "--kernel", "cuda", "--out", directory.resolve("units"));
        assertThat(result.output)
                .contains(
                        "paritas: The kernel 'cuda' was asked for by io.paritas.kernel, but this machine has no NVIDIA"
                                + " driver (libcuda.so.1); install one, version 525 or newer."
                                + " Or leave the choice to io.paritas.kernel=auto")
                .doesNotContain("\tat ");
        assertThat(result.status).isNotZero();
    }

    @Test
    void encodesAsTheCpuDoes() throws IOException, InterruptedException {
        assertThat(EMULATOR.resolve("libcuda.so.1"))
                .as("the emulator that the module gpu builds")
                .exists();
        Path file = file();
        Path units = directory.resolve("units");
        Result encoded =
                paritas(EMULATOR.toString(), "encode", file, "--code", "rs-6-3", "--kernel", "cuda", "--out", units);
        assertThat(encoded.status).as(encoded.output).isZero();
        assertThat(encoded.output).contains("cuda");
        // The CPU finds the parity consistent, and decodes without two data units.
        Result verified = paritas("", "verify", units, "--kernel", "plain");
        assertThat(verified.status).as(verified.output).isZero();
        for (String unit : List.of("000", "004")) {
            Files.delete(units.resolve("unit-" + unit + ".paritas"));
        }
        Path copy = directory.resolve("copy");
        Result decoded = paritas(EMULATOR.toString(), "decode", units, "--kernel", "cuda", "--out", copy);
        assertThat(decoded.status).as(decoded.output).isZero();
        assertThat(copy).hasSameBinaryContentAs(file);
    }
}
