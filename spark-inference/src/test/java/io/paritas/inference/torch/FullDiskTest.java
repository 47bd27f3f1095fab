/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.inference.Device;
import io.paritas.inference.graph.Networks;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A folder of temporary files that is full, in which LibTorch would end the JVM, and with a driver all its jobs. */
class FullDiskTest {

    /** The program that runs there. */
    static final class Main {
        public static void main(String[] arguments) {
            LibTorch.start(Device.CPU, 1);
            try (Scope scope = Scope.open()) {
                Tensor parameter =
                        Tensor.of(Device.CPU, new float[100_000], 100_000).withGradient();
                try (Optimizer optimizer = Optimizer.adam(List.of(parameter), 0.1, 0)) {
                    System.out.println("a state: " + (optimizer.state().length >> 10) + " KiB");
                }
            }
            try {
                TorchScripts.write(Networks.mlp(List.of(1, 28, 28), 10));
            } catch (UncheckedIOException e) {
                System.out.println("no model: " + e.getMessage());
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void endsNoJvm(@TempDir Path folder) throws Exception {
        LibTorch.unavailable(Device.CPU).ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/unshare")), "skipped, there is no unshare");
        Process process = new ProcessBuilder(
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "mount -t tmpfs -o size=100k none \"$0\" && exec \"$@\"",
                        folder.toString(),
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:-CreateCoredumpOnCrash",
                        "-Djava.io.tmpdir=" + folder,
                        "-Dorg.bytedeco.javacpp.cachedir=" + Loader.getCacheDir(), // where LibTorch lies already
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        assumeTrue(
                !output.matches("(?s)(unshare|mount):.*"), () -> "skipped, no file system can be mounted: " + output);

        assertThat(output)
                .contains("a state: 78")
                .containsPattern("no model: LibTorch needs a temporary file in the folder of java.io.tmpdir:"
                        + " it needs \\d+ MiB in " + folder + "/paritas-torch\\d+, which has 0");
        assertThat(status).as(output).isZero();
    }
}
