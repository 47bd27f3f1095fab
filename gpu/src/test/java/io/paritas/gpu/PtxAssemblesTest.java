/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every PTX file that is committed is accepted by the oldest assembler that we promise, for every GPU that runs it, without spills. */
class PtxAssemblesTest {
    private static final List<Path> FOLDERS = List.of(
            Path.of("src/main/resources/io/paritas/gpu/kernels"), Path.of("src/test/resources/io/paritas/gpu/kernels"));

    /** What the assembler has taken: files, by what is in them, and GPUs. */
    private static final Path LIST = Path.of("src/test/resources/io/paritas/gpu/assembled.txt");

    private static final boolean LONG = Boolean.getBoolean("io.paritas.test.long");

    private record Assembly(Path file, String gpu) {
        /** With the assembler's version, for a newer one may say something else. */
        String line() {
            return "%s %s %s %s".formatted(PtxAssembler.version(), gpu, file.getFileName(), sha256(text(file)));
        }
    }

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

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
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

    /**
     * All of them at once, on all processors: one after the other they take minutes. What is on the list was assembled before, and the
     * same assembler says the same of it, so it is assembled again only where tests may take long.
     */
    @BeforeAll
    static void assemble() throws IOException {
        Set<String> before = LONG ? Set.of() : Set.copyOf(Files.readAllLines(LIST));
        all().parallelStream()
                .filter(one -> !before.contains(one.line()))
                .forEach(one -> RESULTS.put(one, PtxAssembler.assemble(text(one.file), one.gpu)));
    }

    private static List<Assembly> all() throws IOException {
        List<Assembly> all = new ArrayList<>();
        for (Path file : files()) {
            for (String gpu : gpus(file)) {
                all.add(new Assembly(file, gpu));
            }
        }
        return all;
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
            if (result != null) {
                String what = "%s for %s: %s".formatted(file, gpu, result.log());
                assertThat(result.accepted()).as(what).isTrue();
                assertThat(result.entries()).as(what).isEqualTo(entries);
                assertThat(result.spilledBytes()).as(what).isZero();
                /* As it says where it cannot leave sums in their registers while wgmma runs. */
                assertThat(result.log()).doesNotContain("serialized");
            }
        }
    }

    /** Nothing is written where one of them does not assemble. */
    @Test
    void theListIsThatOfTheFiles() throws IOException {
        List<String> lines = all().stream().map(Assembly::line).sorted().toList();
        if (Boolean.getBoolean("io.paritas.test.writeDocs")) {
            for (Path file : files()) {
                assemblesWithoutSpills(file);
            }
            Files.write(LIST, lines);
        }
        assertThat(Files.readAllLines(LIST))
                .as("%s; write it with -Dio.paritas.test.writeDocs=true", LIST)
                .isEqualTo(lines);
    }
}
