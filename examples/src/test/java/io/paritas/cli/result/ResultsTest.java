/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Paritas;
import io.paritas.cli.Run;
import io.paritas.inference.graph.Networks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

/** Commands whose results have the names of files that exist. */
class ResultsTest {
    @TempDir
    private Path home;

    private Path model() {
        Path file = home.resolve("m.onnx");
        Networks.mlp(List.of(1, 28, 28), 10).toModelFile().write(file);
        return file;
    }

    private Run run(String line) {
        return Run.paritas(Stream.of(line.split(" +")).map(this::named).toArray());
    }

    private String named(String text) {
        return text.replace("@", home + "/");
    }

    /** Whose command may have taken hours, and needs it again. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            protect plan @m.onnx --out @m.onnx                            | --out must not be a file that is read or written otherwise, @m.onnx is
            protect plan @m.onnx --out @m.onnx --force                    | --out must not be a file that is read or written otherwise, @m.onnx is
            protect plan @m.onnx --out @link --force                      | --out must not be a file that is read or written otherwise, @link is
            protect plan @m.onnx --out @p.json --plot @p.json             | --out must not be a file that is read or written otherwise, @p.json is
            eval --model @m.onnx --json @m.onnx                           | --json must not be a file that is read or written otherwise, @m.onnx is
            eval --model @m.onnx --csv @./m.onnx --force                  | --csv must not be a file that is read or written otherwise, @./m.onnx is
            eval --model @there.paritas-tmp --json @there --force         | --json must not be a file that is read or written otherwise, @there is
            eval --model @m.onnx --parity @code --json @code/parity.json --force | --json must not be a file that is read or written otherwise, @code/parity.json is
            eval --model @m.onnx --json @code/new --csv @other/new        | --json must not be a file that is read or written otherwise, @code/new is
            eval --model @there.paritas-tmp --json @toThere --force       | --json must not be a file that is read or written otherwise, @toThere is
            eval --model @m.onnx --parity @code --json @toCode --force    | --json must not be a file that is read or written otherwise, @toCode is
            eval --model @m.onnx --json @toNew --csv @new                 | --json must not be a file that is read or written otherwise, @toNew is
            eval --model @m.onnx --json @new --csv @toNew                 | --json must not be a file that is read or written otherwise, @new is
            eval --model @m.onnx --parity @code --json @other/parity-0.onnx --force | --json must not be a file that is read or written otherwise, @other/parity-0.onnx is
            eval --model @m.onnx --parity @code/. --json @code/encoder.pt --force | --json must not be a file that is read or written otherwise, @code/encoder.pt is
            export @m.onnx --out @m.onnx --force                          | --out must not be a file that is read or written otherwise, @m.onnx is
            inject --model @faults/faults.csv --out @faults --force       | a result must not replace a file that is read, as @faults/faults.csv: name another folder
            train base --network @base.onnx --out @. --force              | a result must not replace a file that is read, as @./base.onnx: name another folder
            eval --model @m.onnx --small @small.onnx --small-folded @code --cascade @. --force | --small must not be in the folder of --cascade, where --small-folded may replace it, got @small.onnx: copy it, or name another folder
            eval --model @small.onnx --small @m.onnx --cascade @. --force | a result must not replace a file that is read, as @./small.onnx: name another folder
            """)
    void neverReplaceWhatTheCommandReads(String line, String sentence) throws Exception {
        Path model = model();
        Files.createSymbolicLink(home.resolve("link"), model);
        Files.createDirectory(home.resolve("code"));
        Files.createSymbolicLink(home.resolve("other"), Path.of("code"));
        Files.createSymbolicLink(home.resolve("toThere"), Path.of("there"));
        Files.createSymbolicLink(home.resolve("toNew"), Path.of("new"));
        Files.createSymbolicLink(home.resolve("toCode"), Path.of("other/parity.json"));
        Files.createDirectory(home.resolve("faults"));
        Files.writeString(home.resolve("cascade.json"), "{}");
        List<String> copies = List.of(
                "faults/faults.csv",
                "base.onnx",
                "small.onnx",
                "there.paritas-tmp",
                "code/parity.json",
                "code/parity-0.onnx",
                "code/encoder.pt");
        for (String copy : copies) {
            Files.copy(model, home.resolve(copy));
        }
        byte[] bytes = Files.readAllBytes(model);

        Run run = run(line);

        assertThat(run.err()).startsWith("paritas: " + named(sentence) + "\nTry ");
        assertThat(run.status()).isEqualTo(2);
        assertThat(model).hasBinaryContent(bytes);
        for (String copy : copies) {
            assertThat(home.resolve(copy)).hasBinaryContent(bytes);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            protect plan @m.onnx --out @there                    | --out must be a new file, @there exists: name another one, or replace it with --force
            protect plan @m.onnx --plot @there.png               | --plot must be a new file, @there.png exists: name another one, or replace it with --force
            eval --model @m.onnx --csv @there                    | --csv must be a new file, @there exists: name another one, or replace it with --force
            eval --model @m.onnx --json @there                   | --json must be a new file, @there exists: name another one, or replace it with --force
            eval --model @m.onnx --small @m.onnx --cascade @dir  | cascade.json exists in @dir: name another folder, or replace it with --force
            screen --json @there                                 | --json must be a new file, @there exists: name another one, or replace it with --force
            load http://127.0.0.1:9 --csv @there                 | --csv must be a new file, @there exists: name another one, or replace it with --force
            load http://127.0.0.1:9 --plot @there.png            | --plot must be a new file, @there.png exists: name another one, or replace it with --force
            export @m.onnx --out @there.pt                       | --out must be a new file, @there.pt exists: name another one, or replace it with --force
            inject --out @dir                                    | faults.csv exists in @dir: name another folder, or replace it with --force
            inject --out @networks                               | acas.onnx exists in @networks: name another folder, or replace it with --force
            bench --report @dir                                  | bench.md exists in @dir: name another folder, or replace it with --force
            """)
    void areRefusedBeforeTheWork(String line, String sentence) throws Exception {
        model();
        Files.createDirectory(home.resolve("dir"));
        Files.createDirectory(home.resolve("networks"));
        List<String> names = List.of(
                "there",
                "there.png",
                "there.pt",
                "dir/faults.csv",
                "dir/bench.md",
                "dir/cascade.json",
                "networks/acas.onnx");
        for (String name : names) {
            Files.writeString(home.resolve(name), "mine");
        }

        Run run = run(line);

        assertThat(run.err()).startsWith("paritas: " + named(sentence) + "\nTry ");
        assertThat(run.status()).isEqualTo(2);
        for (String name : names) {
            assertThat(home.resolve(name)).hasContent("mine");
        }
    }

    /** After hours of work, say. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void areRefusedWhereTheyCannotBeWritten() throws Exception {
        model();
        String longest = "n".repeat(250);
        Files.createDirectory(home.resolve("taken.paritas-tmp"));
        Files.createSymbolicLink(home.resolve("link"), Path.of("/proc/none"));
        Map<String, String> reasons = Map.of(
                longest,
                home + "/" + longest + ".paritas-tmp: File name too long",
                "taken",
                home + "/taken.paritas-tmp: a folder is in the place of the temporary file",
                "link",
                "/proc/none.paritas-tmp");
        reasons.forEach((name, reason) -> {
            Run run = run("eval --model @m.onnx --json @" + name + " --force");
            assertThat(run.err())
                    .startsWith(
                            "paritas: Invalid value for option '--json': it must be a file that can be written, got "
                                    + home + "/" + name + ": java.nio.file.")
                    .contains(reason);
            assertThat(run.status()).isEqualTo(2);
        });
    }

    @Test
    void replaceOthersWithForce() throws Exception {
        model();
        Path plan = Files.writeString(home.resolve("plan.json"), "mine");

        Run run = run("protect plan @m.onnx --batch 2 --seconds 0.01 --out @plan.json --force");

        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(plan).content().startsWith("{").contains("\"layers\"");
    }

    /** A screen that runs every night replaces its file only by {@code --force}, too; a device is no file. */
    @Test
    void goToDevices() {
        assertThat(run("screen --time 1 --json /dev/null").status()).isZero();
    }

    @Test
    void allCommandsThatWriteThemHaveForce() {
        assertThat(withResults(Paritas.commandLine())).hasSizeGreaterThan(4).allSatisfy(command -> assertThat(
                        command.getCommandSpec().findOption("--force"))
                .isNotNull());
    }

    private static List<CommandLine> withResults(CommandLine command) {
        Stream<CommandLine> below =
                command.getSubcommands().values().stream().flatMap(each -> withResults(each).stream());
        boolean writes =
                command.getCommandSpec().args().stream().map(ArgSpec::type).anyMatch(ResultFile.class::equals);
        return Stream.concat(writes ? Stream.of(command) : Stream.empty(), below)
                .toList();
    }
}
