/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every PTX file that is committed is accepted by the oldest assembler that we promise, for every GPU that runs it, without spills. */
class PtxAssemblesTest {
    private static final List<Path> FOLDERS = List.of(
            Path.of("src/main/resources/io/paritas/gpu/kernels"), Path.of("src/test/resources/io/paritas/gpu/kernels"));

    static List<Path> files() throws IOException {
        List<Path> files = new java.util.ArrayList<>();
        for (Path folder : FOLDERS) {
            try (Stream<Path> inFolder = Files.list(folder)) {
                files.addAll(inFolder.filter(file -> file.toString().endsWith(".ptx.gz"))
                        .sorted()
                        .toList());
            }
        }
        assertThat(files).isNotEmpty();
        return files;
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** The compute capability in a file's name. */
    private static int target(Path file) {
        return Integer.parseInt(name(file)[1]);
    }

    /** The next one that there is a file of the same kernels for, which newer GPUs take. */
    private static OptionalInt newer(Path file) throws IOException {
        try (Stream<Path> all = Files.list(file.getParent())) {
            return all.filter(other -> name(other)[0].equals(name(file)[0]))
                    .mapToInt(PtxAssemblesTest::target)
                    .filter(other -> other > target(file))
                    .min();
        }
    }

    /** The kernels' name, and the compute capability. */
    private static String[] name(Path file) {
        return file.getFileName().toString().split("\\.");
    }

    @ParameterizedTest
    @MethodSource("files")
    void assemblesWithoutSpills(Path file) throws IOException {
        String ptx = text(file);
        assertThat(ptx).contains(".version 8.0");
        int from = target(file);
        int to = newer(file).orElse(Integer.MAX_VALUE);
        int entries = ptx.split("\\.entry ", -1).length - 1;
        assertThat(entries).isPositive();
        for (String gpu : PtxAssembler.GPUS) {
            int capability = Integer.parseInt(gpu.substring(3));
            if (capability >= from && capability < to) {
                PtxAssembler.Result result = PtxAssembler.assemble(ptx, gpu);
                assertThat(result.accepted())
                        .as("%s for %s: %s", file, gpu, result.log())
                        .isTrue();
                assertThat(result.entries())
                        .as("%s for %s: %s", file, gpu, result.log())
                        .isEqualTo(entries);
                assertThat(result.spilledBytes())
                        .as("%s for %s: %s", file, gpu, result.log())
                        .isZero();
            }
        }
    }
}
