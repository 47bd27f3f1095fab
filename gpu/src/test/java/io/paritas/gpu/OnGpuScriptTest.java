/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code on-gpu.sh all} in a folder as {@code pack} makes it, with a Java that does nothing. */
@EnabledOnOs(OS.LINUX)
class OnGpuScriptTest {
    @TempDir
    private Path folder;

    /** The names of the parts that ran, in their order. */
    private List<String> parts() throws IOException {
        return summary().lines().map(line -> line.replaceFirst(": .*", "")).toList();
    }

    /** Runs all parts, and returns how that ended. */
    private int all(String java) throws IOException, InterruptedException {
        return all(java, "60");
    }

    private int all(String java, String seconds) throws IOException, InterruptedException {
        Files.copy(Path.of("on-gpu.sh"), folder.resolve("on-gpu.sh"));
        Files.createDirectories(folder.resolve("lib"));
        executable("java/bin/java", java);
        /* No PyTorch and no compute-sanitizer, whatever this machine has. */
        executable("bin/python3", "exit 1");
        ProcessBuilder builder =
                new ProcessBuilder("sh", folder.resolve("on-gpu.sh").toString(), "all");
        builder.environment().remove("JAVA_HOME");
        builder.environment().put("PART_SECONDS", seconds);
        builder.environment().put("RESULTS", folder.resolve("results").toString());
        builder.environment().put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
        builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        return builder.start().waitFor();
    }

    private void executable(String name, String command) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + command + "\n", StandardCharsets.UTF_8);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String summary() throws IOException {
        return Files.readString(folder.resolve("results/summary.txt"));
    }

    @Test
    void allEndsWellIfNothingFails() throws IOException, InterruptedException {
        assertThat(all("exit 0")).isZero();
        assertThat(summary())
                .contains("test: passed in ", "few: passed in ", "torch: left out")
                .doesNotContain("failed");
    }

    @Test
    void whatFindsErrorsComesBeforeFigures() throws IOException, InterruptedException {
        executable("bin/compute-sanitizer", "exit 0");
        assertThat(all("exit 0")).isZero();
        assertThat(parts())
                .containsExactly(
                        "facts",
                        "test",
                        "racecheck",
                        "memcheck",
                        "engine-mma",
                        "bench",
                        "gemms",
                        "gemms-mma",
                        "networks",
                        "networks-mma",
                        "few",
                        "torch");
    }

    @Test
    void theHeaderNamesWhatAllRuns() throws IOException, InterruptedException {
        all("exit 0");
        String header =
                Files.readString(Path.of("on-gpu.sh")).split("#   facts ", 2)[0].split("#   all ", 2)[1];
        assertThat(parts().stream().filter(part -> !part.contains(" ")))
                .allSatisfy(part -> assertThat(header).contains(part));
    }

    @Test
    void allFailsIfAPartDoesAndRunsTheOthers() throws IOException, InterruptedException {
        assertThat(all("case \"$*\" in *GemmBenchmark*) exit 3 ;; esac")).isEqualTo(1);
        assertThat(summary()).contains("gemms: failed (3) after ", "gemms-mma: failed (3) after ", "few: passed in ");
    }

    @Test
    void whatIsNotFinishedIsNoFailure() throws IOException, InterruptedException {
        assertThat(all("case \"$*\" in *KernelBench*) sleep 60 ;; esac", "1")).isZero();
        assertThat(summary()).contains("bench: not finished in 1 s");
    }

    /** The system kills what takes too much memory. */
    @Test
    void whatIsKilledBeforeItsTimeIsAFailure() throws IOException, InterruptedException {
        assertThat(all("case \"$*\" in *KernelBench*) kill -KILL $$ ;; esac")).isEqualTo(1);
        assertThat(summary()).contains("bench: failed (137) after ");
    }
}
