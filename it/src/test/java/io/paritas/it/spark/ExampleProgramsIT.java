/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.jobs.ClassifyFolder;
import io.paritas.cli.spark.jobs.ClassifyStream;
import io.paritas.cli.spark.jobs.KeepJoin;
import io.paritas.cli.spark.jobs.TrainRecommendation;
import io.paritas.examples.CodedRegression;
import io.paritas.examples.SqlScript;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelFile;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.spark.ExactModel;
import io.paritas.it.LongTest;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The programs for {@code spark-submit}, with a model whose predictions are reconstructed exactly. */
class ExampleProgramsIT {
    private static final int IMAGES = 48;
    private static final int SIDE = 8;
    private static final String PLUGIN = "io.paritas.spark.ParitasPlugin";

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    static Path folder;

    private static Path images;
    private static Path model;
    private static DeployedModel deployed;

    @BeforeAll
    static void makeModelAndImages() throws IOException {
        Random random = new Random(1);
        model = Files.createDirectory(folder.resolve("model")).resolve("model.onnx");
        writeModel(random);
        images = Files.createDirectory(folder.resolve("images"));
        for (int i = 0; i < IMAGES; i++) {
            BufferedImage image = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_BYTE_GRAY);
            for (int p = 0; p < SIDE * SIDE; p++) {
                image.getRaster().setSample(p % SIDE, p / SIDE, 0, random.nextInt(256));
            }
            ImageIO.write(image, "png", images.resolve(i + ".png").toFile());
        }
    }

    /** A cascade of two models of this kind; the small one is sure of some images. */
    private static Path writeCascade() {
        GraphBuilder builder = new GraphBuilder(1, SIDE, SIDE);
        Graph empty = builder.output(builder.linear(builder.flatten(builder.input()), 4));
        Graph small = Initialisation.HE.apply(empty, 1);
        Path cascade = folder.resolve("cascade");
        Cascade.of(
                        small.toModelFile(),
                        1,
                        new DeployedModel(ModelFile.read(model), small.input(), small.output()),
                        new Cascade.Calibration(0.5, 0.5, 1, 1, 1),
                        "a test")
                .bundle()
                .write(cascade);
        return cascade;
    }

    /** Linear, with whole weights and no bias, so that it is the parity model for itself. */
    private static void writeModel(Random random) {
        GraphBuilder builder = new GraphBuilder(1, SIDE, SIDE);
        Graph empty = builder.output(builder.linear(builder.flatten(builder.input()), 4));
        float[] weights = new float[4 * SIDE * SIDE];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = random.nextInt(7) - 3;
        }
        Graph graph = empty.with(List.of(
                empty.weights().get("fc1.weight").with(weights),
                empty.weights().get("fc1.bias").with(new float[4])));
        ModelFile file = graph.toModelFile();
        file.write(model);
        deployed = new DeployedModel(file, graph.input(), graph.output());
        Map<String, String> settings =
                Map.of("k", "2", "r", "1", "encoder", "addition", "decoder", "subtraction", "target", "outputs");
        Bundle.of(BundleKind.PARITY, deployed, Map.of("parity-0", file))
                .withSettings(settings)
                .write(model.getParent());
    }

    @BeforeEach
    void endOtherApplications() throws Exception {
        SPARK.endApplication();
    }

    @Test
    void classifiesAFolderDespiteAStraggler() throws Exception {
        String out = run(ClassifyFolder.class, model, images, folder.resolve("slow"), "--straggler", "20");

        assertThat(out)
                .containsPattern(
                        "plain: 48 rows in ([2-9]\\d|\\d{3,})\\.\\d s: 48 predicted, 0 reconstructed, 0 unavailable\ncoded: 48 rows")
                .contains("same label: 48 of 48\n");
        int reconstructed = number(out, "coded: .* (\\d+) reconstructed, 0 unavailable");
        assertThat(reconstructed).isPositive();
        assertThat(out).endsWith("same label, reconstructed: " + reconstructed + " of " + reconstructed + "\n");
    }

    @LongTest
    @Test
    void classifiesAFolderWithALearnedCodeDespiteAKilledExecutor() throws Exception {
        Path learned = folder.resolve("learned");
        ExactModel.learned(deployed, 2, 0).write(learned);
        Path copy = Files.copy(model, learned.resolve("model.onnx"));

        String out = run(ClassifyFolder.class, copy, images, folder.resolve("killed"), "--kill");

        assertThat(out)
                .containsPattern(
                        "plain: 48 rows in \\S+ s: 48 predicted, 0 reconstructed, 0 unavailable\ncoded: 48 rows")
                .contains("same label: 48 of 48\n");
    }

    @LongTest
    @Test
    void classifiesAStreamInMicroBatches() throws Exception {
        String out = run(ClassifyStream.class, model, images, folder.resolve("stream"), "--once", "--straggler", "90");

        assertThat(number(out, "batch 0 with a task that sleeps 90.0 s: 48 rows in (\\d+)\\.\\d s"))
                .isLessThan(90);
        assertThat(number(out, " (\\d+) reconstructed, 0 unavailable")).isPositive();
    }

    @Test
    void runsTheScriptsInSql() throws Exception {
        Path scripts = Path.of("..", "examples", "src", "main", "sql").toAbsolutePath();

        String out = run(
                SqlScript.class,
                scripts.resolve("classify.sql"),
                scripts.resolve("erasure-code.sql"),
                scripts.resolve("cascade.sql"),
                "small=" + writeCascade(),
                "large=" + model,
                "model=" + model,
                "images=" + images);

        assertThat(out)
                .contains("GROUP BY outcome ORDER BY outcome;\n  predicted  48\n")
                .contains("USING (path);\n  48  48\n\n")
                .contains("LIMIT 3;\n  0  document 0\n  1  document 1.\n  2  document 2..\n")
                .contains("USING (id);\n  12  12\n")
                .contains("FROM stripes;\n  3  12  6\n")
                .contains("ORDER BY id;\n  3  document 3...\n  8  document 8........\n")
                .contains("FROM kept;\n  12  188\n")
                .containsPattern("health\\(.*\\);\n  kept  rs-2-1  6  3  ")
                .contains("threshold=0.5, calibrated: share=0.5, accuracy=1.0")
                .containsPattern("AS alone USING \\(path\\);\n  \\d+  48\n");
    }

    @LongTest
    @Test
    void predictsWithARegressionOfSparkMl() throws Exception {
        String out = run(CodedRegression.class, folder.resolve("regression"));

        assertThat(out).contains("rows: 3000\nas uncoded: 3000\n");
    }

    @Test
    void keepsAJoinDespiteAKilledExecutor() throws Exception {
        String out = run(KeepJoin.class, "rs-2-1", "300000");

        assertThat(out)
                .startsWith("kept: 300000 rows in ")
                .contains(", survives=1]\n", "without trouble: [[0,", "executor that is killed: [[0,")
                .endsWith("computed again: 0 rows\n");
        assertThat(number(out, "decoded: (\\d+) partitions")).isPositive();
    }

    @LongTest
    @Test
    void trainsARecommendationModelDespiteAKilledServer() throws Exception {
        Path out = folder.resolve("recommendation");

        String printed = run(TrainRecommendation.class, out, "samples=20000", "rows=2000", "kill=true");

        assertThat(printed)
                .containsPattern(
                        "== warming up with about 4000 samples, which no curve shows\n(.*\n)*== undisturbed\n(.*\n)*== coded\n")
                .containsPattern("kill -9 \\d+, executor \\d+\n")
                .containsPattern(
                        "compared: the same coded training, with a kill and without; \\d+ and \\d+ samples/s\n")
                .contains("another task has taken its place\n")
                .containsPattern("evaluated: 2000 samples: AUC 0\\.[67]")
                .contains("2000 of 2000 rows equal, bit for bit; networks too\n");
        assertThat(out.resolve("coded.csv")).content().contains("a server is lost");
        assertThat(out.resolve("undisturbed.csv")).content().doesNotContain("a server is lost");
    }

    /** A third of the shops is clicked on, and nothing else matters. */
    @Test
    void trainsARecommendationModelOnFiles() throws Exception {
        Path data = Files.createDirectory(folder.resolve("clicks")).resolve("day_0.tsv");
        Files.write(
                data,
                Stream.concat(
                                Stream.of("clicked\tprice\tshop"),
                                IntStream.range(0, 4_000)
                                        .mapToObj(i ->
                                                (i % 97 % 3 == 0 ? 1 : 0) + "\t" + i / 4_000.0 + "\tshop " + i % 97))
                        .toList());
        Path out = folder.resolve("on files");
        String printed = run(
                TrainRecommendation.class,
                out,
                "data=" + data.getParent().toUri(),
                "label=clicked",
                "dense=price",
                "categorical=shop",
                "rows=5000",
                "epochs=30",
                "patience=1",
                "checkpoints=" + folder.resolve("file-checkpoints").toUri(),
                "every=5",
                "output=" + folder.resolve("shared").toUri());
        assertThat(printed)
                .containsPattern(
                        "\n3\\d{3} samples for training, \\d{3} held out, 34\\.\\d\\d % clicks; 1 embedding tables with"
                                + " 5000 rows\n")
                .contains("== coded\n")
                .containsPattern("evaluated: \\d{3} samples: AUC (0\\.9|1\\.0)")
                .containsPattern("stopped early: the best AUC was \\d\\.\\d{4}, after epoch [12]?\\d\n")
                .doesNotContain("kill -9", "== undisturbed");
        assertThat(folder.resolve("shared/encoding/encoding.json")).content().contains("\"categorical\":[\"shop\"]");

        Process again = start(
                TrainRecommendation.class,
                out,
                "output=" + folder.resolve("shared").toUri());
        assertThat(again.getInputStream().readAllBytes())
                .as("refused before anything is trained")
                .isEmpty();
        assertThat(again.waitFor()).isNotZero();
    }

    private static int number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    /** What a program prints. */
    private static String run(Class<?> program, Object... arguments) throws Exception {
        Process process = start(program, arguments);
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out;
    }

    private static Process start(Class<?> program, Object... arguments) throws Exception {
        Map<String, String> settings = new HashMap<>(SPARK.settings());
        settings.put("spark.plugins", PLUGIN);
        settings.putAll(SharedSpark.withJars(SPARK.cluster()));
        return SPARK.cluster()
                .submit(
                        examples(),
                        program.getName(),
                        List.of(),
                        settings,
                        Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    }

    private static Path examples() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().matches("paritas-examples.*\\.jar"))
                .findAny()
                .orElseThrow();
    }
}
