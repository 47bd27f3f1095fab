/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.ParitasProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code --kernel cuda}, in JVMs of their own: without a GPU, and with the emulator of the module gpu. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class CudaKernelTest {
    @TempDir
    private Path directory;

    private Path file() throws IOException {
        byte[] bytes = new byte[2_000_003];
        new Random(7).nextBytes(bytes);
        return Files.write(directory.resolve("file"), bytes);
    }

    @Test
    void saysWhatIsMissing() throws IOException, InterruptedException {
        ParitasProcess result =
                ParitasProcess.withoutGpu("encode", file(), "--kernel", "cuda", "--out", directory.resolve("units"));
        assertThat(result.output())
                .contains(
                        "paritas: the kernel 'cuda' was asked for by io.paritas.kernel, but this machine has no NVIDIA"
                                + " driver (libcuda.so.1); install one, version 525 or newer;"
                                + " or leave the choice to io.paritas.kernel=auto")
                .doesNotContain("\tat ");
        assertThat(result.status()).isNotZero();
    }

    @Test
    void encodesAsTheCpuDoes() throws IOException, InterruptedException {
        Path file = file();
        Path units = directory.resolve("units");
        ParitasProcess encoded =
                ParitasProcess.onEmulator("encode", file, "--code", "rs-6-3", "--kernel", "cuda", "--out", units);
        assertThat(encoded.status()).as(encoded.output()).isZero();
        assertThat(encoded.output()).contains("cuda");
        // The CPU finds the parity consistent, and decodes without two data units.
        ParitasProcess verified = ParitasProcess.withoutGpu("verify", units, "--kernel", "plain");
        assertThat(verified.status()).as(verified.output()).isZero();
        for (String unit : List.of("000", "004")) {
            Files.delete(units.resolve("unit-" + unit + ".paritas"));
        }
        Path copy = directory.resolve("copy");
        ParitasProcess decoded = ParitasProcess.onEmulator("decode", units, "--kernel", "cuda", "--out", copy);
        assertThat(decoded.status()).as(decoded.output()).isZero();
        assertThat(copy).hasSameBinaryContentAs(file);
    }
}
