/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.cli.MissingImageCache;
import io.paritas.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandTest {
    @TempDir
    Path folder;

    @Test
    void printsOneRowPerCodeOperationAndCoder() {
        Run run = Run.paritas(
                "bench", "--code", "3-2,4-2", "--unit", "1000", "--seconds", "0.02", "--coders", "rs_java,plain");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("1 thread, units of 1,000 bytes");
        assertThat(run.out()
                        .lines()
                        .filter(line -> line.matches("\\([34],2\\) +(encode|decode .*) +rs_java +[0-9.]+ +1.0 +-")))
                .hasSize(6);
        assertThat(run.out()
                        .lines()
                        .filter(line -> line.matches("\\([34],2\\) +(encode|decode .*) +plain +[0-9.]+ +[0-9.]+ +-")))
                .hasSize(6);
    }

    /** Hadoop's coder has codes of up to 255 units. */
    @Test
    void leavesOutWhatACoderCannotDo() {
        Run run = Run.paritas(
                "bench", "--code", "200-56", "--unit", "64", "--seconds", "0.01", "--coders", "rs_java,plain");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).containsPattern("\\(200,56\\) +encode +plain").doesNotContainPattern("encode +rs_java");
    }

    /** As where its library is not found when it starts; then the other coders are measured without it. */
    @Test
    void isalThatIsCompiledAndDoesNotRunSaysWhy() throws IOException {
        Path program = Files.writeString(folder.resolve("isal"), "#!/bin/sh\necho no libisal.so.2 >&2\nexit 127\n");
        assertThatThrownBy(() -> Isal.described(program)).isInstanceOf(IOException.class);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        assertThatThrownBy(() -> Isal.described(program))
                .isInstanceOf(IOException.class)
                .hasMessage("the compiled program does not run: no libisal.so.2");
    }

    @Test
    void writesAReportWithPlots() throws IOException {
        Run run = Run.paritas(
                "bench",
                "--code",
                "6-3,5-3,10-4",
                "--unit",
                "1k,4k",
                "--seconds",
                "0.02",
                "--coders",
                "rs_java,plain,paritas",
                "--report",
                folder.resolve("new"));
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("report: " + folder.resolve("new/bench.md"));
        assertThat(Files.readString(folder.resolve("new/bench.md")))
                .contains("* Machine: ")
                .contains("* Command: `paritas bench --code 6-3,5-3,10-4 ")
                .contains("* Kernel: kernel ")
                .containsPattern(
                        "\\| 1 \\| 4k \\| \\(10,4\\) \\| encode \\| plain \\| [0-9.]+ \\([0-9.]+–[0-9.]+\\) \\|")
                .contains("| copy |")
                .contains("* `plain`: ours, in plain Java")
                .contains("On other machines, and not measured here")
                .contains(
                        "| xorslp | AMD Ryzen 5 2600 with 1 thread | (10,4) | encode | 7.45 | 4.70 | 1.59 |",
                        "| TVM-EC | Xeon D-1548 with up to 8 cores | (10,4) | encode | 6.65 | – | – |")
                .contains("![roof-10-4.png](roof-10-4.png)");
        for (String plot : new String[] {"encode-1k.png", "decode-one-4k.png", "decode-all-4k.png", "roof-6-3.png"}) {
            assertThat(ImageIO.read(folder.resolve("new").resolve(plot).toFile())
                            .getWidth())
                    .as(plot)
                    .isPositive();
        }
    }

    /** As where java.io.tmpdir is full. */
    @Test
    void aReportNeedsNoTemporaryFile() throws IOException {
        try (MissingImageCache none = new MissingImageCache(folder)) {
            Run run = Run.paritas(
                    "bench",
                    "--unit",
                    "1k",
                    "--seconds",
                    "0.01",
                    "--coders",
                    "plain",
                    "--report",
                    folder.resolve("new"));
            assertThat(run.err()).isEmpty();
            assertThat(run.status()).isZero();
        }
        assertThat(folder.resolve("new/encode-1k.png")).isNotEmptyFile();
    }

    @Test
    void aReportThatCannotBeWrittenIsRefusedBeforeAnythingIsMeasured() throws IOException {
        Path inTheWay = Files.createFile(folder.resolve("file"));
        Run run = Run.paritas("bench", "--report", inTheWay.resolve("under"));
        assertThat(run.err()).contains("paritas: ").contains(inTheWay.toString());
        assertThat(run.out()).doesNotContain("figures, about");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void plotsOfOthersAreKeptWithoutForce() throws IOException {
        List<String> results = List.of(
                "bench.md", "encode-1k.png", "decode-one-2k.png", "decode-all-2k-2-threads.png", "roof-3-2.png");
        for (String name : results) {
            Path file = Files.writeString(folder.resolve(name), "old");
            Run run = measured("1k,2k");
            assertThat(run.err())
                    .startsWith("paritas: " + name + " exists in " + folder
                            + ": name another folder, or replace it with --force");
            assertThat(run.out()).isEmpty();
            assertThat(run.status()).isEqualTo(2);
            assertThat(file).hasContent("old");
            Files.delete(file);
        }
    }

    @Test
    void plotsThatWouldNotBeWrittenAreNoObstacle() throws IOException {
        Path roof = Files.writeString(folder.resolve("roof-3-2.png"), "old");
        Run run = measured("1k");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(roof).hasContent("old");
    }

    private Run measured(String unitLengths) {
        return Run.paritas(
                "bench",
                "--code",
                "3-2",
                "--unit",
                unitLengths,
                "--seconds",
                "0.01",
                "--coders",
                "plain",
                "--threads",
                "1,2",
                "--report",
                folder);
    }

    @Test
    void figuresAreWrittenEvenIfPlotsAreNot() throws IOException {
        Files.createDirectory(folder.resolve("decode-one-1k.png"));
        Run run = Run.paritas(
                "bench",
                "--code",
                "3-2",
                "--unit",
                "1k",
                "--seconds",
                "0.01",
                "--coders",
                "plain",
                "--report",
                folder,
                "--force");
        assertThat(run.err()).contains(folder.resolve("decode-one-1k.png").toString());
        assertThat(run.status()).isEqualTo(1);
        assertThat(folder.resolve("bench.md")).content().contains("| (3,2) | encode | plain |");
        assertThat(folder.resolve("encode-1k.png")).isNotEmptyFile();
    }

    @Test
    void saysWhichCoderHasNoSuchCode() {
        Run run = Run.paritas(
                "bench", "--code", "5-3,6-3", "--unit", "64", "--seconds", "0.01", "--coders", "paritas,plain");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).contains("paritas has no code (5,3)\n").doesNotContain("has no code (6,3)");
    }

    @Test
    void codesThatNoCoderHasAreRefused() {
        for (Object[] report : new Object[][] {{}, {"--report", folder.resolve("new")}}) {
            List<Object> words = new ArrayList<>(List.of("bench", "--code", "5-3,7-3", "--coders", "paritas,lrc"));
            words.addAll(List.of(report));
            Run run = Run.paritas(words.toArray());
            assertThat(run.out()).contains("paritas has no code (5,3)\n", "lrc has no code (7,3)\n");
            assertThat(run.err())
                    .startsWith(
                            "paritas: a coder must run here and have one of the codes (5,3), (7,3), got paritas, lrc:"
                                    + " name others with --coders, or other codes\n");
            assertThat(run.status()).isEqualTo(2);
        }
    }

    @Test
    void freshJvmsAreMeasuredWithoutHadoopsCoderWhereItHasNoCode() {
        Run run = Run.paritas("bench", "--cold", "--code", "252-4", "--unit", "4k");
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("rs_java has no code (252,4)\n")
                .containsPattern("\\(252,4\\) +4k +rs_paritas +[0-9.]+ +[0-9.]+ +[0-9.]+")
                .doesNotContainPattern("4k +rs_java");
    }

    @Test
    void freshJvmsEncodeWhatIsClosestTo64MiB() {
        assertThat(ColdMain.stripes(3, 1 << 20)).isEqualTo(21);
        assertThat(ColdMain.stripes(6, 1 << 20)).isEqualTo(11);
        assertThat(ColdMain.stripes(10, 1 << 20)).isEqualTo(6);
        assertThat(ColdMain.stripes(10, 64 << 20)).isEqualTo(1);
    }

    @Test
    void theReasonOfAFreshJvmIsNoLineOfItsStack() {
        assertThat(ColdStart.conclusion(Stream.of(
                        "WARNING: Using incubator modules",
                        "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space",
                        "\tat a.B.c(B.java:1)",
                        "\t... 2 more")))
                .isEqualTo("Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space");
        assertThat(ColdStart.conclusion(Stream.of("a warning", "12 34"))).isEqualTo("12 34");
        assertThat(ColdStart.conclusion(Stream.of())).isEqualTo("it said nothing");
    }

    @Test
    void measuresFreshJvms() {
        Run run = Run.paritas("bench", "--cold", "--code", "3-2", "--unit", "1m");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out()).containsPattern("\\(3,2\\) +1m +rs_paritas +[0-9.]+ +[0-9.]+ +[0-9.]+");
    }

    @Test
    void whatCannotBeMeasuredIsExplained() {
        assertThat(Run.paritas("bench", "--code", "rs63").err())
                .contains("a code must be K-R, such as 6-3, got" + " 'rs63'");
        assertThat(Run.paritas("bench", "--code", "0-3").err()).contains("k = 0, r = 3");
        assertThat(Run.paritas("bench", "--unit", "1g").err())
                .contains("a unit must have 1 byte to 64m, such as 4096, 128k or 1m, got '1g'");
        assertThat(Run.paritas("bench", "--coders", "isal").err())
                .contains(
                        "a coder must be one of rs_java, isa-l, plain, vector, vector-direct, machine, machine-direct, paritas,"
                                + " paritas-machine, lrc, copy, strips-W, gemm-W, packets-W with W = 1 to 8, got 'isal'");
        assertThat(Run.paritas("bench", "--isal", folder).err())
                .contains("--isal must name a folder with include/isa-l.h in it, got " + folder);
        for (String seconds : new String[] {"0", "-1", "NaN", "Infinity"}) {
            assertThat(Run.paritas("bench", "--seconds", seconds).err())
                    .contains("--seconds must be a number above 0, at most 3600, got " + Double.parseDouble(seconds));
        }
        assertThat(Run.paritas("bench", "--threads", "1,0").err())
                .contains("threads must be 1 to 9999, or all, got '0'");
        assertThat(Run.paritas("bench", "--threads", "some").err())
                .contains("threads must be 1 to 9999, or all, got 'some'");
        Path report = folder.resolve("report");
        for (String option : List.of("--report", "--coders", "--isal", "--threads", "--seconds")) {
            Object value = Map.of("--report", report, "--coders", "plain", "--isal", folder)
                    .getOrDefault(option, "1");
            Run cold = Run.paritas("bench", "--cold", option, value);
            assertThat(cold.err())
                    .startsWith("paritas: " + option
                            + " is about the table, which --cold does not measure: name one of them\n");
            assertThat(cold.status()).isEqualTo(2);
        }
        assertThat(report).doesNotExist();
        assertThat(Run.paritas("bench", "--code", "rs63").status()).isEqualTo(2);
    }
}
