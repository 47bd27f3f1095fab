/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every PTX file that is committed is accepted by the oldest assembler that we promise, for every GPU that runs it, without spills. */
class PtxAssemblesTest {
    private static final List<Path> FOLDERS = List.of(
            Path.of("src/main/resources/io/paritas/gpu/kernels"), Path.of("src/test/resources/io/paritas/gpu/kernels"));

    private record Assembly(Path file, String gpu) {}

    private static final Map<Assembly, PtxAssembler.Result> RESULTS = new ConcurrentHashMap<>();

    static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
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

    private static String text(Path file) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The GPUs that run a file: those from its compute capability on up to the next one that there is a file of the same kernels for. */
    private static List<String> gpus(Path file) throws IOException {
        String target = name(file)[1];
        if (target.endsWith("a")) {
            return List.of("sm_" + target); // runs nowhere else
        }
        int from = Integer.parseInt(target);
        int to;
        try (Stream<Path> all = Files.list(file.getParent())) {
            to = all.filter(other -> name(other)[0].equals(name(file)[0]))
                    .mapToInt(other -> Integer.parseInt(name(other)[1]))
                    .filter(other -> other > from)
                    .min()
                    .orElse(Integer.MAX_VALUE);
        }
        return PtxAssembler.GPUS.stream()
                .filter(gpu -> {
                    int capability = Integer.parseInt(gpu.substring(3));
                    return capability >= from && capability < to;
                })
                .toList();
    }

    /** The kernels' name, and the compute capability. */
    private static String[] name(Path file) {
        return file.getFileName().toString().split("\\.");
    }

    /** All of them at once, on all processors: one after the other they take minutes. */
    @BeforeAll
    static void assemble() throws IOException {
        List<Assembly> all = new ArrayList<>();
        for (Path file : files()) {
            for (String gpu : gpus(file)) {
                all.add(new Assembly(file, gpu));
            }
        }
        all.parallelStream().forEach(one -> RESULTS.put(one, PtxAssembler.assemble(text(one.file), one.gpu)));
    }

    @ParameterizedTest
    @MethodSource("files")
    void assemblesWithoutSpills(Path file) throws IOException {
        String ptx = text(file);
        assertThat(ptx).contains(".version 8.0");
        int entries = ptx.split("\\.entry ", -1).length - 1;
        assertThat(entries).isPositive();
        for (String gpu : gpus(file)) {
            PtxAssembler.Result result = RESULTS.get(new Assembly(file, gpu));
            String what = "%s for %s: %s".formatted(file, gpu, result.log());
            assertThat(result.accepted()).as(what).isTrue();
            assertThat(result.entries()).as(what).isEqualTo(entries);
            assertThat(result.spilledBytes()).as(what).isZero();
            /* As it says where it cannot leave sums in their registers while wgmma runs. */
            assertThat(result.log()).doesNotContain("serialized");
        }
    }
}
