/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each piece of Java in the pages compiles, once it has its imports and what the text around it speaks of. */
class JavaInPagesTest {
    private static final Pattern NAME = Pattern.compile("(?<![.\\w\"])[A-Z]\\w+");
    private static final Pattern PUBLIC = Pattern.compile("(?m)^public [\\w ]*(?:class|record|interface|enum) (\\w+)");
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

    private static final String OTHERS = """
            import static org.apache.spark.sql.functions.col;
            import io.paritas.inference.recommend.data.CriteoLogs.Malformed;
            import java.nio.file.Path;
            import java.time.Duration;
            import java.util.*;
            import org.apache.spark.TaskContext;
            import org.apache.spark.api.java.*;
            import org.apache.spark.ml.classification.*;
            import org.apache.spark.sql.*;
            import org.apache.spark.sql.catalyst.InternalRow;
            """;

    /** By the start of a piece: what the text around it has declared. */
    private static final Map<String, String> DECLARED = Map.ofEntries(
            Map.entry("Dataset<Row> answers = images", "Dataset<Row> images;"),
            Map.entry("CodedInferenceModel coded", "Dataset<Row> log, rows;"),
            Map.entry("LogisticRegressionModel fitted", "Dataset<Row> log, rows;"),
            Map.entry("Dataset<Row> kept", "Dataset<Row> join;"),
            Map.entry("List<String> directories", "Dataset<Row> rows; SparkSession spark;"),
            Map.entry("HdfsPolicy.set", "Dataset<Row> orders; SparkSession spark;"),
            Map.entry("Gpu.get().bind();                 ", "long dataAddress, parityAddress; int unitLength;"),
            Map.entry("Gpu.get().bind();\n", "int k, n, batch; float[][] b; float[] bias;"),
            Map.entry("ModelFile file", "float[] first, second;"),
            Map.entry("RecommendationModel model", "SparkSession spark;"),
            Map.entry("DlrmShape shape", "SparkSession spark;"),
            Map.entry(
                    "ModelSpec model",
                    "JavaSparkContext sc; JavaRDD<Integer> batches; long[] ids; float[] rowGradients, gradient;"),
            Map.entry(
                    "servers.checkpoint",
                    "ParameterServers servers; JavaSparkContext sc; ModelSpec model; HostOptions options;"));

    private final Map<String, List<String>> ours;

    @TempDir
    Path classes;

    JavaInPagesTest() throws IOException {
        ours = ours();
    }

    /** By simple name: the public classes of all modules. */
    private static Map<String, List<String>> ours() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        try (Stream<Path> modules = Files.list(Pages.ROOT)) {
            for (Path source : modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(source)) {
                    for (Path file : files.filter(path -> path.toString().endsWith(".java"))
                            .toList()) {
                        String text = Files.readString(file);
                        PUBLIC.matcher(text)
                                .results()
                                .map(name -> name.group(1))
                                .forEach(name -> found.merge(
                                        name,
                                        List.of(PACKAGE.matcher(text)
                                                        .results()
                                                        .findFirst()
                                                        .orElseThrow()
                                                        .group(1) + "." + name),
                                        (some, more) -> Stream.concat(some.stream(), more.stream())
                                                .toList()));
                    }
                }
            }
        }
        return found;
    }

    @Test
    void compiles() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (Pages.Snippet snippet : Pages.snippets()) {
            // cuDF is not on the class path of this module.
            if (snippet.language().equals("java") && !snippet.text().contains("Cudf")) {
                sources.add(source("Snippet" + sources.size(), snippet));
            }
        }
        assertThat(sources).hasSizeGreaterThan(10);
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        ToolProvider.getSystemJavaCompiler()
                .getTask(
                        Writer.nullWriter(),
                        null,
                        found,
                        List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        sources)
                .call();
        assertThat(found.getDiagnostics())
                .filteredOn(one -> one.getKind() == Diagnostic.Kind.ERROR)
                .isEmpty();
    }

    private JavaFileObject source(String name, Pages.Snippet snippet) {
        String declared = DECLARED.entrySet().stream()
                .filter(entry -> snippet.text().startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .collect(Collectors.joining());
        String text = OTHERS + imports(snippet.text() + declared) + "/** " + snippet + " */ class " + name + " {\n"
                + declared + "\nvoid run() throws Exception {\n" + snippet.text() + "}}";
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignored) {
                return text;
            }
        };
    }

    /** Of two classes with one name, that in a package of which the piece names others. */
    private String imports(String code) {
        List<List<String>> candidates = NAME.matcher(code)
                .results()
                .map(MatchResult::group)
                .distinct()
                .filter(ours::containsKey)
                .map(ours::get)
                .toList();
        Set<String> packages = candidates.stream()
                .filter(names -> names.size() == 1)
                .map(names -> parent(names.get(0)))
                .collect(Collectors.toSet());
        return candidates.stream()
                .map(names -> names.stream()
                        .filter(name -> packages.contains(parent(name)))
                        .findFirst()
                        .orElse(names.get(0)))
                .map(name -> "import " + name + ";\n")
                .collect(Collectors.joining());
    }

    private static String parent(String name) {
        return name.substring(0, name.lastIndexOf('.'));
    }
}
