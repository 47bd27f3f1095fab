/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibTorchTest {

    @Test
    void threadsHaveTheirOwnNumberOfThreads() {
        LibTorch.start(Device.CPU, 1);
        int other = CompletableFuture.supplyAsync(() -> {
                    LibTorch.start(Device.CPU, 2);
                    return torch.get_num_threads();
                })
                .join();
        assertThat(other).isEqualTo(2);
        assertThat(torch.get_num_threads()).isEqualTo(1);
    }

    @Test
    void aGpuThatIsAskedForIsUsedOrRefused() {
        assumeFalse(LibTorch.unavailable(Device.CUDA).isEmpty(), "skipped: there is a GPU");
        assertThat(LibTorch.start(Device.AUTO, 1)).isEqualTo(Device.CPU);
        assertThatThrownBy(() -> LibTorch.start(Device.CUDA, 1))
                .isInstanceOf(ModelException.class)
                .hasMessage("LibTorch finds no CUDA device: it needs a GPU, its driver, and the artifact"
                        + " org.bytedeco:pytorch with a -gpu classifier in place of the one for CPUs");
    }

    /** Spark would end the executor for the error; and later there may be one. */
    @Test
    void withoutAThreadItIsNotLoadedYet() {
        assertThatThrownBy(() -> LibTorch.uninterrupted(() -> 1, task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                }))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("the system gives no thread to load it (unable to create native thread)")
                .hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void oneDnnRunsWhereItSeesTheCache(@TempDir Path root) throws IOException {
        Path processors = Files.createDirectory(root.resolve("proc")).resolve("cpuinfo");
        Path size = Files.createDirectories(root.resolve("sys/devices/system/cpu/cpu0/cache/index0"))
                .resolve("size");
        String intels = "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu avx2\n\n";
        String amds = "processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu topoext\n\n";
        assertThat(LibTorch.suitsOneDnn(root)).as("no files").isFalse();
        Files.writeString(processors, intels);
        assertThat(LibTorch.suitsOneDnn(root)).isTrue();
        Files.writeString(processors, amds);
        assertThat(LibTorch.suitsOneDnn(root)).as("no cache").isFalse();
        Files.writeString(size, "0K\n");
        assertThat(LibTorch.suitsOneDnn(root)).as("less than a kilobyte").isFalse();
        Files.writeString(size, "48K\n");
        assertThat(LibTorch.suitsOneDnn(root)).isTrue();
        Files.writeString(processors, amds.replace("topoext", "avx2"));
        assertThat(LibTorch.suitsOneDnn(root)).as("a size from elsewhere").isFalse();
        Files.writeString(processors, amds.replace("AuthenticAMD", "HygonGenuine"));
        assertThat(LibTorch.suitsOneDnn(root)).as("of others").isFalse();
    }

    @Test
    void oneDnnRunsWhereItIsRight() {
        LibTorch.start(Device.CPU, 1);
        assertThat(torch.globalContext().userEnabledMkldnn()).isEqualTo(LibTorch.suitsOneDnn(Path.of("/")));
    }

    /** It warns at each convolution where it does not run. */
    @Test
    void nnPackDoesNotTakeThePlaceOfOneDnn() {
        LibTorch.start(Device.CPU, 1);
        assumeFalse(LibTorch.suitsOneDnn(Path.of("/")), "skipped: oneDNN runs here");
        assertThat(torch.globalContext().userEnabledNNPACK()).isFalse();
    }

    @Test
    void reasonsLeaveOutTheTraces() {
        String script = "The following operation failed in the TorchScript interpreter.\nTraceback …:\n"
                + "    ~~~ <--- HERE\nRuntimeError: shape '[2]' is invalid\n";
        assertThat(LibTorch.reason(new RuntimeException(script))).isEqualTo("shape '[2]' is invalid");
        String trace = "no such file\nException raised from f at g.cpp:1 (most recent call first):\nframe #0 …";
        assertThat(LibTorch.reason(new RuntimeException(trace))).isEqualTo("no such file");
        assertThat(LibTorch.reason(new RuntimeException("plain"))).isEqualTo("plain");
    }

    @Test
    void denormalsAreZeroOnlyInside() {
        LibTorch.start(Device.CPU, 1);
        float tiny = 1e-39f;
        try (Scope scope = Scope.withoutGradients()) {
            Tensor tensor = Tensor.of(Device.CPU, new float[] {tiny}, 1);
            assertThat(LibTorch.withoutDenormals(() -> tensor.times(0.5)).value())
                    .isZero();
            assertThat(tensor.times(0.5).value()).isEqualTo(5e-40f);
            assertThat(tiny * Float.parseFloat("0.5"))
                    .as("Java's own arithmetic")
                    .isEqualTo(5e-40f);
        }
    }
}
