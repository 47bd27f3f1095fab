/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.cli.Run;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The wheel is installed and used by a real Python, where there is one; PySpark is not there. */
class PythonWheelCommandTest {
    /** Spark reads them in {@code PythonCallsTest} of spark-inference. */
    private static final List<String> PYTHON_CALLS = List.of(
            "predict('m.onnx', `x`)",
            "coded_predict('it\\'s/a \\\\ path', `a`.`b`, `c``d e`,"
                    + " map('parity', '/p', 'batchRows', '64', 'mean', '0.5,1'))",
            "folded_predict('f', `x`, map('onError', 'column', 'flag', 'true'))",
            "cascade_predict('small', 'large', `x`, map('threshold', '0.9'))",
            "predict('m.onnx', `pixel.1`, `s`.`b.c`.`d`, ```e.f``g`)");

    @TempDir
    private Path folder;

    private record Ran(int status, String out) {}

    private Ran python(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("python3"));
        command.addAll(Arrays.asList(arguments));
        Path out = folder.resolve("out.txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().put("PYTHONPATH", folder.resolve("site").toString());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ran(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8));
    }

    private boolean hasPip() throws InterruptedException {
        try {
            return python("-m", "pip", "--version").status == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void theFolderMayBeALink() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("wheels")));
        Run run = Run.paritas("python-wheel", "--out", link);
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(folder.resolve("wheels")).isDirectoryContaining("glob:**.whl");
    }

    /** Python's answer to each line, with the wheel installed by pip. */
    private List<String> answers(String program) throws IOException, InterruptedException {
        Ran ran = python("-c", "from paritas import *\n" + program);
        assertThat(ran.status).as(ran.out).isZero();
        return ran.out.lines().toList();
    }

    @Test
    void pipInstallsFunctionsThatMakeCalls() throws IOException, InterruptedException {
        assumeTrue(hasPip(), "needs python3 with pip");
        Run run = Run.paritas("python-wheel", "--out", folder.toString());
        assertThat(run.status()).isZero();
        String wheel = run.out().strip();
        assertThat(wheel).endsWith("paritas-0.dev0-py3-none-any.whl"); // of classes without a jar
        Ran pip = python(
                "-m",
                "pip",
                "install",
                "--no-index",
                "--no-deps",
                "--target",
                folder.resolve("site").toString(),
                wheel);
        assertThat(pip.status).as(pip.out).isZero();

        assertThat(answers("""
                print(sql("predict", "m.onnx", "x"))
                print(sql("coded_predict", "it's/a \\\\ path", "a.b", "c`d e", parity="/p", batchRows=64, mean=[0.5, 1]))
                print(sql("folded_predict", "f", "x", onError="column", flag=True))
                print(sql("cascade_predict", ("small", "large"), "x", threshold=0.9))
                print(sql("predict", "m.onnx", "`pixel.1`", "s.`b.c`.d", "```e.f``g`"))
                """)).containsExactlyElementsOf(PYTHON_CALLS);
        assertThat(answers("""
                print(sql("predict", "m.onnx", "x", batchRows=None))
                """)).as("None leaves an option out").containsExactly(PYTHON_CALLS.get(0));
        assertThat(answers("""
                from array import array
                print(sql("predict", "m.onnx", "x", mean=array("d", [0.5, 1])))
                """))
                .as("an array, as numpy has it, is a list")
                .containsExactly("predict('m.onnx', `x`, map('mean', '0.5,1.0'))");
        assertThat(answers("""
                class Column:
                    def __getattr__(self, name): return self
                    def __str__(self): return "Column<'x'>"
                print(sql("predict", "m.onnx", "x", mean=Column()))
                """))
                .as("Spark refuses a column, which answers any name, with the name of the option")
                .containsExactly("predict('m.onnx', `x`, map('mean', 'Column<\\'x\\'>'))");

        assertThat(answers("""
                for wrong in (lambda: predict("m", "x"), lambda: sql("predict", "m"), lambda: sql("predict", "m", 3)):
                    try:
                        wrong()
                    except Exception as e:
                        print(type(e).__name__, e)
                """))
                .satisfiesExactly(
                        missing -> assertThat(missing)
                                .startsWith(
                                        "ImportError paritas makes columns of PySpark, which is not installed here"),
                        none -> assertThat(none)
                                .isEqualTo(
                                        "ValueError predict needs the column with the model's input, or a numeric one for"
                                                + " each value; got none"),
                        number -> assertThat(number)
                                .isEqualTo("TypeError predict takes columns by their names, got 3: name it with"
                                        + " withColumn(name, column) first"));
    }

    @Test
    void wrongCallsAreToldWhatToWrite() throws IOException, InterruptedException {
        assumeTrue(hasPip(), "needs python3");
        Path site = Files.createDirectories(folder.resolve("site/paritas"));
        Files.copy(PythonWheelCommand.class.getResourceAsStream("python/__init__.py"), site.resolve("__init__.py"));

        assertThat(answers("""
                for call in (("predict", "m", ["x", "y"]), ("predict", "m", "x", {"batchRows": 64}), ("predict", "m", ""),
                             ("predict", "m", "a..b"), ("cascade_predict", "small", "large", "x"),
                             ("predict", ("a", "b"), "x")):
                    try:
                        sql(*call)
                    except (TypeError, ValueError) as e:
                        print(e)
                """))
                .containsExactly(
                        "predict takes each column by itself, got ['x', 'y']: write *columns",
                        "predict takes options by their names, such as batchRows=64, got {'batchRows': 64}: write **options",
                        "a column's name must have no empty part, got '': put a name with dots in backticks",
                        "a column's name must have no empty part, got 'a..b': put a name with dots in backticks",
                        "cascade_predict takes a pair of models, got 'small'",
                        "predict takes one model, got ('a', 'b')");
    }

    /** Pip refuses a file's name with another hyphen. */
    @Test
    void versionsAreThoseOfPython() {
        assertThat(PythonWheelCommand.python("0.1.0")).isEqualTo("0.1.0");
        assertThat(PythonWheelCommand.python("0.1.0-SNAPSHOT")).isEqualTo("0.1.0.dev0");
        assertThat(PythonWheelCommand.python("0.1.0-RC1")).isEqualTo("0.1.0.RC1");
    }

    @Test
    void theWheelIsAlwaysTheSame() throws IOException {
        String first = Run.paritas("python-wheel", "--out", folder.resolve("a").toString())
                .out()
                .strip();
        String second = Run.paritas("python-wheel", "--out", folder.resolve("b").toString())
                .out()
                .strip();
        assertThat(Files.readAllBytes(Path.of(first))).isEqualTo(Files.readAllBytes(Path.of(second)));
    }
}
