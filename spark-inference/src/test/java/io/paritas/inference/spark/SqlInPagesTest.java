/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelFile;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.folded.Cascade.Calibration;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.protect.Planner;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each piece of SQL in the pages runs: with small models, images and tables under the names that the text gives them. */
class SqlInPagesTest {
    private static final Pattern SQL = Pattern.compile("(?ms)^ *```sql\\n(.*?)^ *```");
    private static final Pattern COMMENT = Pattern.compile("(?m) *-- .*$");
    private static final Pattern FILE = Pattern.compile("(?<=['=])/?(?=(?:models/|data/|model\\.onnx))");
    private static final int SIDE = 8;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @TempDir
    static Path folder;

    /** @param number of the piece in its page, from 1 */
    record Piece(Path page, int number, String text) {
        @Override
        public String toString() {
            return page.getFileName() + " " + number;
        }
    }

    static List<Piece> pieces() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(Path.of("../README.md")));
        try (Stream<Path> docs = Files.walk(Path.of("../docs"))) {
            docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        List<Piece> pieces = new ArrayList<>();
        for (Path page : pages) {
            Matcher found = SQL.matcher(Files.readString(page));
            for (int number = 1; found.find(); number++) {
                pieces.add(new Piece(page, number, found.group(1)));
            }
        }
        return pieces;
    }

    @BeforeAll
    static void writeModelsAndImages() throws IOException {
        GraphBuilder classes = new GraphBuilder(new TensorSpec("image", List.of(1, SIDE, SIDE)));
        Graph base = filled(classes, classes.linear(classes.flatten(classes.input()), 3));
        for (String name : List.of("base.onnx", "base/base.onnx", "large/base.onnx")) {
            write(base, "models/" + name);
        }
        write(base, "model.onnx");
        ModelFile file = base.toModelFile();
        DeployedModel deployed = new DeployedModel(file, base.input(), base.output());
        Bundle parity = parity(base);
        for (String beside : List.of("models/parity", "models", "")) {
            parity.write(folder.resolve(beside));
        }
        Cascade.of(file, 1, deployed, new Calibration(0.5, 0.75, 0.5, 0.25, 1), "a test")
                .bundle()
                .write(folder.resolve("models/cascade"));
        Files.writeString(
                folder.resolve("models/plan.json"),
                Planner.plan(file, 4, Duration.ofMillis(1)).json());

        GraphBuilder churn = new GraphBuilder(3);
        Graph margins = filled(churn, churn.linear(churn.input(), 2));
        write(margins, "models/churn/model.onnx");
        parity(margins).write(folder.resolve("models/churn"));
        GraphBuilder clicks = new GraphBuilder(5);
        Value[] rows = IntStream.range(0, 3)
                .mapToObj(table ->
                        clicks.lookup("table." + table, clicks.select(clicks.input(), 2 + table), 1_000_000, 1))
                .toArray(Value[]::new);
        write(clicks.output(clicks.sigmoid("probability", clicks.concat(rows))), "models/clicks/scoring.onnx");

        Files.createDirectories(folder.resolve("data/images"));
        for (int image = 0; image < 5; image++) {
            BufferedImage picture = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_BYTE_GRAY);
            picture.setRGB(image, 3, -1);
            ImageIO.write(
                    picture,
                    "png",
                    folder.resolve("data/images/" + image + ".png").toFile());
        }
    }

    private static Graph filled(GraphBuilder builder, Value output) {
        return Initialisation.HE.apply(builder.output(output), 1);
    }

    /** For k = 2, as if the network were linear and its own parity model: what matters is that the calls run. */
    private static Bundle parity(Graph graph) {
        Map<String, String> code =
                Map.of("k", "2", "r", "1", "encoder", "addition", "decoder", "subtraction", "target", "outputs");
        ModelFile file = graph.toModelFile();
        DeployedModel deployed = new DeployedModel(file, graph.input(), graph.output());
        return Bundle.of(BundleKind.PARITY, deployed, Map.of("parity-0", file)).withSettings(code);
    }

    private static void write(Graph graph, String name) throws IOException {
        Files.createDirectories(folder.resolve(name).getParent());
        graph.toModelFile().write(folder.resolve(name));
    }

    /** What the text around the pieces speaks of. */
    private static void tables(SparkSession spark) {
        for (String table : List.of(
                "images AS SELECT string(id) AS path, content, transform(sequence(1, 64), i -> float(i + id)) AS image"
                        + " FROM range(5), (SELECT content FROM binaryFile.`" + folder.resolve("data/images/0.png")
                        + "`)",
                "t AS SELECT image AS x FROM images",
                "rows AS SELECT array(float(id), 1f, 2f) AS features FROM range(5)",
                "visits AS SELECT id AS user, 7 AS item, 0.5 AS price, 30 AS age, 'A' AS shop, id AS city, true AS device"
                        + " FROM range(5)",
                "orders AS SELECT id, 2.5 AS price FROM range(10)",
                "customers AS SELECT id, id % 2 AS region FROM range(5)")) {
            spark.sql("CREATE OR REPLACE TEMPORARY VIEW " + table);
        }
    }

    @ParameterizedTest
    @MethodSource("pieces")
    void runs(Piece piece) {
        SparkSession spark = LOCAL.spark();
        tables(spark);
        String text = COMMENT.matcher(piece.text()).replaceAll("");
        text = text.replace("CREATE TEMPORARY VIEW", "CREATE OR REPLACE TEMPORARY VIEW");
        text = FILE.matcher(text).replaceAll(folder + "/");
        int answers = 0;
        for (String statement : text.strip().replaceFirst(";$", "").split(";", -1)) {
            List<?> rows = spark.sql(statement).collectAsList();
            answers += statement.strip().startsWith("SELECT") ? rows.size() : 0;
        }
        assertThat(answers).as("rows of %s", piece).isPositive();
        if (spark.catalog().tableExists("kept")) {
            spark.sql("CALL paritas.unpersist(name => 'kept')");
        }
    }
}
