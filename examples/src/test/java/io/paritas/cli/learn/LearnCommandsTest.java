/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.cli.ParitasProcess;
import io.paritas.cli.Run;
import io.paritas.examples.CodedInference;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.data.Glyphs;
import io.paritas.inference.data.ImageInputs;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Normalization;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.torch.LibTorch;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands as users give them, on images small enough for seconds. */
class LearnCommandsTest {
    private static final String DATA = "glyphs:count=1000,side=12";

    @TempDir
    private static Path folder;

    private static Path base;

    @BeforeAll
    static void trainABaseModel() {
        base = folder.resolve("base/base.onnx");
        Run run = train("base", "base", "--network", "mlp", "--epochs", "12");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .startsWith("drawn glyphs")
                .contains("mlp: graph of 6 operators and 50110 parameters from input (1, 12, 12)")
                .contains("epoch 12/12: loss ")
                .contains("test.available");
    }

    @Test
    void aTrainingLeavesItsModelCurveAndResults() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("base"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("base.onnx", "base-training.json", "base-curve.csv", "base-curve.png");
        }
        JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(folder.resolve("base/base-training.json")));
        assertThat(json.path("epochs")).hasSize(12);
        assertThat(json.path("options").path("seed").asInt()).isEqualTo(1);
        assertThat(json.path("accuracy").path("test.available").asDouble()).isGreaterThan(0.3);
        assertThat(Files.readAllLines(folder.resolve("base/base-curve.csv")))
                .hasSize(13)
                .startsWith("epoch,loss,score,seconds");
    }

    @Test
    void parityModelsAreTrainedAndEvaluated() throws Exception {
        Run run = trainFor("parity", "parity", "--k", "2", "--r", "2", "--epochs", "4");
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .as("the progress ends before results are measured")
                .containsSubsequence(
                        "epoch 4/4: loss ",
                        "epoch 4/4: loss ",
                        "parity.json, on 100 groups of the test:",
                        "degraded.1-lost",
                        "degraded.2-lost");
        Path json = folder.resolve("eval.json");
        Path csv = folder.resolve("eval.csv");
        Run eval = paritas(
                "eval",
                "--model",
                base,
                "--parity",
                folder.resolve("parity"),
                "--data",
                DATA,
                "--json",
                json,
                "--csv",
                csv);
        assertThat(eval.err()).isEmpty();
        String shown = run.out()
                .lines()
                .filter(line -> line.contains("degraded.2-lost"))
                .findFirst()
                .orElseThrow();
        assertThat(eval.out()).as("the same as the training measured").contains(shown);
        assertThat(new ObjectMapper()
                        .readTree(Files.readAllBytes(json))
                        .path("measured")
                        .path("parity")
                        .fieldNames())
                .toIterable()
                .contains("available", "degraded.1-lost", "overall.10%-lost", "default-answer");
        assertThat(Files.readString(csv)).startsWith("what,measure,value\nmodel,available,0.");
        residualsAreMeasured(folder.resolve("parity/parity.json"));
    }

    private static void residualsAreMeasured(Path descriptor) throws Exception {
        String trained = Files.readString(descriptor);
        assertThat(trained).contains("\"residuals-0\" : \"", "\"residuals-1\" : \"");
        Files.writeString(descriptor, trained.replaceAll(",\\s*\"residuals-.\" : \"[^\"]*\"", ""));

        Run run = paritas("train", "calibrate", "--model", base, "--parity", descriptor, "--data", DATA);

        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .startsWith(descriptor + System.lineSeparator() + "  0.0100 of sound groups have a residual above ")
                .contains("  0.0001 of sound groups have a residual above ");
        assertThat(Files.readString(descriptor)).as("as at the training").isEqualTo(trained);
        Run few = paritas(
                "train", "calibrate", "--model", base, "--parity", descriptor, "--data", DATA, "--validation", "1");
        assertThat(few.status()).as("those of the training stay").isEqualTo(2);
        assertThat(few.err()).contains("Too few examples: residuals of 20 groups at least are needed");
        assertThat(Files.readString(descriptor)).isEqualTo(trained);
        Path other = Files.writeString(
                descriptor.resolveSibling("other.json"), trained.replaceAll(",\\s*\"residuals-.\" : \"[^\"]*\"", ""));
        Files.writeString(descriptor, "of another training");
        Run named = paritas("train", "calibrate", "--model", base, "--parity", other, "--data", DATA);
        assertThat(named.err()).isEmpty();
        assertThat(named.out()).startsWith(other + System.lineSeparator());
        assertThat(other).as("the descriptor that was named").hasContent(trained);
        assertThat(descriptor).hasContent("of another training");
        Files.writeString(descriptor, trained);
        ParitasProcess beside = ParitasProcess.in(
                descriptor.getParent(),
                "train",
                "calibrate",
                "--model",
                base,
                "--parity",
                "parity.json",
                "--data",
                DATA);
        assertThat(beside.output()).contains("  0.0100 of sound groups have a residual above ");
        assertThat(beside.status()).isZero();
    }

    @Test
    void codesAndFoldedNetworksAreTrainedAndEvaluated() throws Exception {
        assertThat(trainFor("code", "code", "--epochs", "1").err()).isEmpty();
        Files.createFile(folder.resolve("code/a.onnx")); // which owns nothing
        assertThat(paritas("inspect", folder.resolve("code")).out())
                .contains(
                        "learned.json: a learned code, complete\n",
                        "  for        no model beside it, the one with SHA-256 ",
                        "  from       input (1, 12, 12) to ",
                        "  settings   ",
                        "  training   ");
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, UTF_8));
        try {
            CodedInference.main(
                    new String[] {base.toString(), folder.resolve("code").toString()});
        } finally {
            System.setOut(console);
        }
        assertThat(printed.toString(UTF_8)).matches("(?s)predicted: +\\[.+]\\Rreconstructed: \\[[^\\]]+]\\R");
        assertThat(trainFor("folded", "folded", "--fold", "2", "--distil", "--epochs", "2")
                        .err())
                .isEmpty();
        Run eval = paritas(
                "eval",
                "--model",
                base,
                "--code",
                folder.resolve("code"),
                "--folded",
                folder.resolve("folded"),
                "--data",
                DATA);
        assertThat(eval.err()).isEmpty();
        assertThat(eval.out()).contains("\ncode\n", "\nfolded\n", "same-in-another-order");

        Run cascade = paritas(
                "eval",
                "--model",
                base,
                "--small",
                base,
                "--small-folded",
                folder.resolve("folded"),
                "--accuracy",
                "0.2",
                "--cascade",
                folder.resolve("cascade"),
                "--data",
                DATA);
        assertThat(cascade.err()).isEmpty();
        assertThat(cascade.out())
                .contains("\ncascade\n", "folding: pays below", "share of the small model", "speed-up");
        assertThat(Cascade.read(folder.resolve("cascade")).threshold()).isBetween(0.1, 1.0);
    }

    @Test
    void anExportedModelIsAsGood() {
        Path script = folder.resolve("base.pt");
        assertThat(paritas("export", base, "--out", script).err()).isEmpty();
        assertThat(paritas("export", base, "--out", script).err())
                .contains("--out must be a new file, " + script
                        + " exists: name another one, or replace it with --force");
        assertThat(paritas("inspect", script).out()).contains("from ");
        assertThat(paritas("inspect", script, "--input-shape", "1x12x12").err()).isEmpty();
        assertThat(paritas("inspect", script, "--input-shape", "1x10x10").err())
                .contains("the options say [1, 10, 10]");
        for (List<String> option : List.of(List.of("--plan", "t4"), List.of("--measure", "1"))) {
            for (Object notFolded : List.of(script, folder)) {
                Run plan = paritas("inspect", notFolded, option.get(0), option.get(1));
                assertThat(plan.status()).isEqualTo(2);
                assertThat(plan.err())
                        .contains("--plan and --measure fold an ONNX model or a network by its name, " + notFolded
                                + " is neither.");
            }
        }
        String onnx = paritas("eval", "--model", base, "--data", DATA, "--engine", "libtorch")
                .out();
        assertThat(paritas("eval", "--model", script, "--data", DATA).out()).isEqualTo(onnx);
        Path parity = folder.resolve("script-parity");
        Run run = paritas("train", "parity", "--model", script, "--data", DATA, "--epochs", "2", "--out", parity);
        assertThat(run.err()).isEmpty();
        assertThat(parity.resolve("parity-0.pt")).exists();
        assertThat(paritas("eval", "--model", script, "--parity", parity, "--data", DATA)
                        .err())
                .isEmpty();
        Run folded =
                paritas("train", "folded", "--model", script, "--data", DATA, "--out", folder.resolve("script-folded"));
        assertThat(folded.status()).isEqualTo(1);
        assertThat(folded.err())
                .startsWith(
                        "paritas: a network must be an ONNX graph to be changed or trained, this file is TORCHSCRIPT")
                .doesNotContain("\tat ");
    }

    @Test
    void loggedQueriesNeedNoImages() throws IOException {
        float[] rows = glyphs(200);
        Path queries = write("queries.f32", rows);
        Path predictions = write("predictions.f32", answers(rows));
        Run run = trainOnLogs(queries, predictions, "logged", "--epochs", "1");
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).startsWith("200 logged queries of " + queries + ", 40 of them held back");
        Run asked = trainOnQueries(queries, "asked");
        assertThat(asked.err()).isEmpty();
        assertThat(folder.resolve("asked/parity-0.onnx"))
                .as("the model itself says what would have been logged")
                .hasSameBinaryContentAs(folder.resolve("logged/parity-0.onnx"));
        Run half = paritas(
                "train", "parity", "--model", base, "--predictions", predictions, "--out", folder.resolve("half"));
        assertThat(half.status()).isEqualTo(2);
        assertThat(half.err()).contains("--predictions are those of logged queries: name --queries, too.");
        Run both = trainOnLogs(queries, predictions, "both", "--limit", "100", "--augment");
        assertThat(both.status()).isEqualTo(2);
        assertThat(both.err()).contains("Logged queries are used without options of images, got --limit, --augment.");
        assertThat(folder.resolve("both")).doesNotExist();
        Run torn = trainOnLogs(write("torn.f32", new float[145]), predictions, "torn");
        assertThat(torn.status()).isEqualTo(1);
        assertThat(torn.err())
                .contains("a log for input (1, 12, 12) must have whole rows of 576 bytes (float32, little-endian)")
                .contains("has 580 bytes")
                .doesNotContain("\tat ");
    }

    /** Accuracies would be those of another function, and minAccuracy would let pass what it is there to refuse. */
    @Test
    void aLogOfAnotherFunctionIsRefused() throws IOException {
        float[] rows = glyphs(200);
        float[] answers = answers(rows);
        Path queries = write("asked.f32", rows);
        float[] softmax = new float[answers.length];
        for (int row = 0; row < 200; row++) {
            float[] logits = Arrays.copyOfRange(answers, row * 10, row * 10 + 10);
            System.arraycopy(Predictions.softmax(logits), 0, softmax, row * 10, 10);
        }
        float[] late = Arrays.copyOf(answers, answers.length);
        System.arraycopy(answers, 0, late, 10, answers.length - 10);

        for (float[] wrong : List.of(softmax, late)) {
            Path file = write("wrong.f32", wrong);
            Run run = trainOnLogs(queries, file, "wrong", "--epochs", "1");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err())
                    .startsWith("paritas: the predictions must be those of this model, row ")
                    .contains(" of " + file + " has ", " at position ", ", both counted from 0, and the model says ")
                    .contains(": log its own outputs, in the order of the queries, or leave --predictions out");
        }
        float[] rounded = Arrays.copyOf(answers, answers.length);
        for (int i = 0; i < rounded.length; i++) {
            rounded[i] *= 1.002f; // as another device, or float16
        }
        assertThat(trainOnLogs(queries, write("near.f32", rounded), "near", "--epochs", "1")
                        .err())
                .isEmpty();
    }

    /** Queries that are no images have no other way to be measured again. */
    @Test
    void whatWasTrainedOnLoggedQueriesIsEvaluatedOnThem() throws IOException {
        Path queries = write("measured.f32", glyphs(200));
        Run run = trainOnQueries(queries, "measured");
        Object[] eval = {"eval", "--model", base, "--parity", folder.resolve("measured"), "--queries", queries};

        Run measured = paritas(eval);

        assertThat(measured.err()).isEmpty();
        String checksum = run.out().replaceFirst("(?s).*with the CRC-32C ([0-9a-f]{8});.*", "$1");
        assertThat(measured.out())
                .as("that the model says what it said is no accuracy")
                .startsWith("the last 20 of 200 logged queries of " + queries + ", with the CRC-32C " + checksum
                        + "; right is what the model said" + System.lineSeparator() + "parity"
                        + System.lineSeparator());
        assertThat(measured.out().lines().filter(line -> line.contains("-lost")))
                .as("the same as the training measured")
                .containsExactlyElementsOf(
                        run.out().lines().filter(line -> line.contains("-lost")).toList());
        Run cascade = paritas(
                Stream.concat(Stream.of(eval), Stream.of("--small", base)).toArray());
        assertThat(cascade.status()).isEqualTo(2);
        assertThat(cascade.err()).contains("A cascade is measured on labelled images: leave --small or --queries out.");
        Run alone = paritas("eval", "--model", base, "--queries", queries);
        assertThat(alone.status()).isEqualTo(2);
        assertThat(alone.err())
                .contains(
                        "Logged queries say nothing about the model itself, only about its codes: name --parity, --code"
                                + " or --folded.");
    }

    @Test
    void onlyTheRowsThatAreMeasuredArePredicted() throws IOException {
        float[] rows = glyphs(200);
        Path parity = folder.resolve("finite");
        assertThat(trainOnQueries(write("finite.f32", rows), "finite").err()).isEmpty();
        Path queries = folder.resolve("overflow.f32");
        Object[] eval = {"eval", "--model", base, "--parity", parity, "--queries", queries};
        Arrays.fill(rows, 0, 144, Float.MAX_VALUE);
        write("overflow.f32", rows);
        assertThat(paritas(eval).err()).isEmpty();

        Arrays.fill(rows, 185 * 144, 186 * 144, Float.MAX_VALUE);
        write("overflow.f32", rows);

        assertThat(paritas(eval).err())
                .contains("every prediction must be finite, that for row 185 of " + queries + " has ")
                .contains(", both counted from 0: leave that row out of every file of the log");
    }

    /** What is printed beside a measurement would be wrong: ONNX Runtime has no more. */
    @Test
    void moreThreadsThanProcessorsAreNotMeasured() {
        int most = Runtime.getRuntime().availableProcessors();

        Run run = paritas("inspect", base, "--measure", "1", "--threads", String.valueOf(most + 1));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--threads must be 1 to " + most + ", got " + (most + 1));
    }

    private static float[] glyphs(int count) {
        Inputs images = new ImageInputs(new Glyphs(count, 5, 12, 1, 10).draw(), Normalization.NONE);
        return images.rows(IntStream.range(0, count).toArray());
    }

    /** What the base model says. */
    private static float[] answers(float[] rows) {
        try (Model model = ModelEngines.load(ModelFile.read(base), ModelOptions.DEFAULT)) {
            Predictions answers =
                    Predictions.of(model, Inputs.of(rows, model.input().shape()));
            return answers.rows(IntStream.range(0, answers.count()).toArray());
        }
    }

    /** Rows are parted for training, validation and the test. */
    @Test
    void aRowOfALogThatIsNotFiniteHasItsNumberInTheFile() throws IOException {
        float[] rows = new float[200 * 144];
        rows[185 * 144 + 3] = Float.NaN;
        Path queries = write("broken.f32", rows);

        Run run = trainOnLogs(queries, write("sound.f32", new float[2000]), "broken");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains("every value of a log must be finite, row 185 of " + queries + " has NaN at position 3, both"
                        + " counted from 0: leave that row out of every file of the log");
    }

    /** A label is the position of a folder: those of some classes only have other positions. */
    @Test
    void imagesOfSomeClassesOnlyAreRefused() throws IOException {
        Path some = imagesOf("some", "3", "5", "7");

        Run run = paritas("eval", "--model", base, "--data", "images:" + some + ",channels=1");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains("the images must have a folder for each of the 10 outputs of " + base + ", in their order,"
                        + " because a label is the position of its folder; they have 3: [3, 5, 7]: add the others, or"
                        + " name these 0, 1 and so on if they are the first outputs");
        Run first = paritas(
                "eval", "--model", base, "--data", "images:" + imagesOf("first", "00", "01", "02") + ",channels=1");
        assertThat(first.err()).as("they have the positions that they name").isEmpty();
    }

    @Test
    void oneClassIsNothingToLearn() throws IOException {
        Run run = paritas("train", "base", "--data", "images:" + imagesOf("one", "all"), "--out", folder.resolve("o"));

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains(
                        "a classifier must tell two classes or more apart, the images have [all]: choose other --data,"
                                + " with a folder for each class");
    }

    private static Path imagesOf(String name, String... classes) throws IOException {
        Path tree = Files.createDirectories(folder.resolve(name));
        for (String each : classes) {
            Path images = Files.createDirectories(tree.resolve(each));
            for (int i = 0; i < 20; i++) {
                BufferedImage image = new BufferedImage(12, 12, BufferedImage.TYPE_BYTE_GRAY);
                image.setRGB(i % 12, 3, 0xffffff);
                ImageIO.write(image, "png", images.resolve(i + ".png").toFile());
            }
        }
        return tree;
    }

    private static Run trainOnQueries(Path queries, String out) {
        return paritas(
                "train",
                "parity",
                "--model",
                base,
                "--queries",
                queries,
                "--epochs",
                "1",
                "--out",
                folder.resolve(out));
    }

    private Run trainOnLogs(Path queries, Path predictions, String out, Object... more) {
        List<Object> command = new ArrayList<>(List.of("train", "parity", "--model", base));
        command.addAll(List.of("--queries", queries, "--predictions", predictions, "--out", folder.resolve(out)));
        command.addAll(List.of(more));
        return paritas(command.toArray());
    }

    /** Or a training that was interrupted would go on with the answers of another model, or of another month. */
    @Test
    void aCheckpointIsOfTheSameLoggedQueries() throws IOException {
        Path queries = write("month.f32", new float[200 * 144]);
        float[] answers = answers(new float[200 * 144]);
        Path predictions = write("answers.f32", answers);
        Files.createDirectories(folder.resolve("month/parity-0-training.json"));
        assertThat(trainOnLogs(queries, predictions, "month", "--epochs", "1").status())
                .as("results cannot be written")
                .isEqualTo(1);
        answers[1999] = Math.nextUp(answers[1999]);
        write("answers.f32", answers);
        Run run = trainOnLogs(queries, predictions, "month", "--epochs", "1");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).startsWith("paritas: a checkpoint must be of the same training, ");
    }

    @Test
    void aCheckpointIsOfTheSameNetwork() throws IOException {
        Path network = folder.resolve("network.onnx");
        Object[] options = {"--network", network, "--epochs", "1"};
        Files.createDirectories(folder.resolve("changed/base-training.json"));
        write(network, GraphBuilder::relu);
        assertThat(train("base", "changed", options).status())
                .as("results cannot be written")
                .isEqualTo(1);
        write(network, (graph, linear) -> linear);
        Run run = train("base", "changed", options);
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).startsWith("paritas: a checkpoint must be of the same training, ");
    }

    @Test
    void aNetworkForOtherClassesIsRefused() {
        Path network = folder.resolve("wide.onnx");
        GraphBuilder graph = new GraphBuilder(1, 12, 12);
        graph.output(graph.linear(graph.flatten(graph.input()), 20))
                .toModelFile()
                .write(network);

        Run run = train("base", "wide", "--network", network, "--epochs", "1");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("paritas: a network for these images must have an output for each class, the shape [10], "
                        + network + " has [20]" + System.lineSeparator());
    }

    /** Labels are corrected, or images replaced, by as many others. */
    @Test
    void aCheckpointIsOfTheSameImages() throws IOException {
        Path network = folder.resolve("two.onnx");
        GraphBuilder graph = new GraphBuilder(1, 12, 12);
        graph.output(graph.linear(graph.flatten(graph.input()), 2))
                .toModelFile()
                .write(network);
        Path images = folder.resolve("images");
        for (int i = 0; i < 40; i++) {
            BufferedImage image = new BufferedImage(12, 12, BufferedImage.TYPE_BYTE_GRAY);
            image.setRGB(i % 12, i / 12, 0xffffff);
            Path file = images.resolve(i % 2 == 0 ? "even" : "odd").resolve(i + ".png");
            Files.createDirectories(file.getParent());
            ImageIO.write(image, "png", file.toFile());
        }
        Files.createDirectories(folder.resolve("of-images/base-training.json"));
        String data = "images:" + images + ",size=12x12,channels=1";
        Object[] command = {"train", "base", "--data", data, "--network", network, "--epochs", "1", "--out"};
        Object[] all = Arrays.copyOf(command, command.length + 1);
        all[command.length] = folder.resolve("of-images");
        assertThat(paritas(all).status()).as("results cannot be written").isEqualTo(1);
        Files.move(images.resolve("even/0.png"), images.resolve("odd/0.png"));
        Files.move(images.resolve("odd/1.png"), images.resolve("even/1.png"));
        Run run = paritas(all);
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).startsWith("paritas: a checkpoint must be of the same training, ");
    }

    private static void write(Path network, BiFunction<GraphBuilder, Value, Value> activation) {
        GraphBuilder graph = new GraphBuilder(1, 12, 12);
        Value hidden = activation.apply(graph, graph.linear(graph.flatten(graph.input()), 16));
        graph.output(graph.linear(hidden, 10)).toModelFile().write(network);
    }

    @Test
    void resultsAreNotReplacedUnasked() {
        Run again = train("base", "base", "--epochs", "1");
        assertThat(again.status()).isEqualTo(2);
        assertThat(again.err())
                .contains("base.onnx exists in " + folder.resolve("base")
                        + ": name another folder, or replace it with --force");
    }

    /** A code's networks have the names of their roles, which the model of a user may have as well. */
    @Test
    void modelsOfTheUserAreNotReplacedUnasked() throws IOException {
        for (String name : List.of("encoder.onnx", "decoder.onnx", "folded.onnx", "parity-1.onnx", "parity-1.pt")) {
            Path own = Files.createDirectories(folder.resolve("own-" + name)).resolve(name);
            Files.copy(base, own);
            String kind = name.startsWith("parity") ? "parity" : name.startsWith("folded") ? "folded" : "code";
            List<Object> command =
                    new ArrayList<>(List.of("train", kind, "--model", own, "--data", DATA, "--epochs", "1"));
            command.addAll(List.of("--out", own.getParent()));
            command.addAll(kind.equals("parity") ? List.of("--r", "2") : List.of());
            Run run = paritas(command.toArray());
            assertThat(run.status()).as(name).isEqualTo(2);
            assertThat(run.err())
                    .contains("a result must not replace a file that is read, as " + own + ": name another folder");
            assertThat(own).hasSameBinaryContentAs(base);
        }
    }

    @Test
    void aCascadeDoesNotReplaceAModelOfTheUser() throws IOException {
        Path own = Files.createDirectories(folder.resolve("own-cascade")).resolve("small.onnx");
        Files.copy(base, own);
        Networks.named("mlp", List.of(1, 12, 12), 10).toModelFile().write(folder.resolve("untrained.onnx"));
        Object[] command = {
            "eval",
            "--model",
            base,
            "--small",
            folder.resolve("untrained.onnx"),
            "--accuracy",
            "0",
            "--cascade",
            own.getParent(),
            "--data",
            DATA
        };
        Run run = paritas(command);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err())
                .contains("small.onnx exists in " + own.getParent()
                        + ": name another folder, or replace it with --force");
        assertThat(own).hasSameBinaryContentAs(base);
        Files.delete(own);
        assertThat(paritas(command).err()).isEmpty();
        assertThat(paritas(command).err())
                .contains("cascade.json exists in " + own.getParent()
                        + ": name another folder, or replace it with --force");
        Object[] inPlace = command.clone();
        inPlace[4] = own; // the cascade's small model
        assertThat(paritas(Stream.concat(Stream.of(inPlace), Stream.of("--force"))
                                .toArray())
                        .err())
                .isEmpty();
        Object[] again = Stream.concat(Stream.of(command), Stream.of("--force")).toArray();
        assertThat(paritas(again).err()).as("its own one is replaced").isEmpty();
        Files.delete(own.resolveSibling("cascade.json"));
        assertThat(paritas(again).err())
                .as("one that was not written to its end")
                .isEmpty();
    }

    @Test
    void aTrainingWhoseResultsCouldNotBeWrittenIsNotRepeated() throws IOException {
        Path out = folder.resolve("unwritten");
        Path inTheWay = Files.createDirectories(out.resolve("base-training.json"));
        assertThat(train("base", "unwritten", "--epochs", "2").status()).isEqualTo(1);
        Files.delete(inTheWay);
        Run again = train("base", "unwritten", "--epochs", "2");
        assertThat(again.err()).isEmpty();
        assertThat(again.out()).contains("going on after epoch 2 of the checkpoint", "test.available");
        assertThat(out.resolve("base.checkpoint")).doesNotExist();
    }

    @Test
    void modelsOfAnotherModelAreRefused() {
        assertThat(trainFor("folded", "folded-3", "--fold", "3", "--epochs", "1")
                        .status())
                .isZero();
        assertThat(train("base", "other", "--seed", "2", "--epochs", "1").status())
                .isZero();
        Run eval = paritas(
                "eval",
                "--model",
                folder.resolve("other/base.onnx"),
                "--folded",
                folder.resolve("folded-3"),
                "--data",
                DATA);
        assertThat(eval.status()).isEqualTo(1);
        assertThat(eval.err())
                .startsWith("paritas: a folded bundle works only with the model that it was made for")
                .doesNotContain("\tat ");
        assertThat(eval.progress()).contains(" s, loading the images ").doesNotContain("predicting");
        Run small = paritas(
                "eval",
                "--model",
                base,
                "--small",
                folder.resolve("other/base.onnx"),
                "--small-folded",
                folder.resolve("folded-3"),
                "--data",
                DATA);
        assertThat(small.err()).startsWith("paritas: a folded bundle works only with the model that it was made for");
        assertThat(small.progress()).doesNotContain("predicting");
    }

    @Test
    void imagesThatTheModelDoesNotTakeAreRefused() {
        Run eval = paritas("eval", "--model", base, "--data", "glyphs:count=20,side=16");
        assertThat(eval.status()).isEqualTo(1);
        assertThat(eval.err())
                .startsWith("paritas: the images must fit " + base + ", which goes from input (1, 12, 12) to");
        Run small = paritas("eval", "--model", base, "--small", otherShape(), "--data", DATA);
        assertThat(small.status()).isEqualTo(1);
        assertThat(small.err())
                .startsWith("paritas: the images must fit " + folder.resolve("other-shape.onnx") + ", which");
        Run source = paritas("eval", "--model", base, "--data", "mnits:x");
        assertThat(source.status()).isEqualTo(2);
        assertThat(source.err())
                .contains("--data: cannot load 'mnits:x'", "mnist:DIR")
                .doesNotContain("\tat ");
    }

    /** Their values are in another order: a model would run, and be wrong. */
    @Test
    void imagesAreNotGivenToAModelThatTakesPixelByPixel() {
        Path pixels = network("pixels.onnx", 6, 12, 2);
        Run eval = paritas("eval", "--model", pixels, "--data", DATA);
        assertThat(eval.status()).isEqualTo(1);
        assertThat(eval.err())
                .startsWith("paritas: the images must fit " + pixels + ", which goes from image (6, 12, 2) to")
                .contains("the images have the shape [1, 12, 12]");
    }

    @Test
    void aModelMayTakeImagesAsVectorsOrWithoutColours() {
        for (Path model : List.of(network("vectors.onnx", 144), network("matrices.onnx", 12, 12))) {
            Path parity = folder.resolve(model.getFileName() + "-parity");
            Run eval = paritas("eval", "--model", model, "--data", DATA);
            assertThat(eval.err()).isEmpty();
            Run trained = paritas("train", "parity", "--model", model, "--data", DATA, "--epochs", 1, "--out", parity);
            assertThat(trained.err()).isEmpty();
            assertThat(trained.status()).isZero();
            Run coded = paritas("eval", "--model", model, "--parity", parity, "--data", DATA);
            assertThat(coded.err()).isEmpty();
            assertThat(coded.out()).contains("degraded");
        }
    }

    private static Path network(String name, Integer... shape) {
        GraphBuilder builder = new GraphBuilder(new TensorSpec("image", List.of(shape)));
        Value row = shape.length == 1 ? builder.input() : builder.flatten(builder.input());
        Path file = folder.resolve(name);
        Initialisation.PYTORCH
                .apply(builder.output(builder.linear(row, 10)), 1)
                .toModelFile()
                .write(file);
        return file;
    }

    private static Path otherShape() {
        Path file = folder.resolve("other-shape.onnx");
        Networks.mlp(List.of(1, 16, 16), 10).toModelFile().write(file);
        return file;
    }

    @Test
    void inspectShowsLayersAndPlans() {
        Run file = paritas("inspect", base);
        assertThat(file.out()).startsWith("ONNX, ").contains("50,110", "from input (1, 12, 12)");
        Run plan = paritas("inspect", "noscope-n2", "--bytes", "2", "--plan", "t4");
        assertThat(plan.out()).contains("58.7", "fold 4: ");
        Run race = paritas("inspect", base, "--batch", "12", "--measure", "1");
        assertThat(race.out()).contains("images/s", "fold  ", " thread(s), FP32, batches of 12\n");
        Run none = paritas("inspect", base, "--measure", "0");
        assertThat(none.status()).isEqualTo(2);
        assertThat(none.err()).contains("--measure must be 1 to 86400, got 0");
        Run unknown = paritas("inspect", "resnet17");
        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.err()).contains("no network is named 'resnet17'; there are mlp, ");
    }

    @Test
    void aModelIsMeasuredOnTheDeviceThatIsAskedFor() {
        assumeTrue(
                ModelEngines.all().stream()
                        .filter(ModelEngine::needsGpu)
                        .allMatch(engine -> engine.unavailable(Device.CUDA).isPresent()),
                "skipped: a GPU is here");
        for (Run run : List.of(
                paritas("inspect", base, "--batch", "12", "--measure", "1", "--device", "cuda"),
                paritas("eval", "--model", base, "--data", DATA, "--device", "cuda"))) {
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err())
                    .contains("no engine can load a model in the format ONNX for the device CUDA here: gpu: ");
        }
        assertThat(paritas("inspect", base, "--batch", "12", "--measure", "1", "--device", "auto")
                        .out())
                .contains("thread(s), FP32, batches of 12\n");
        assertThat(paritas("eval", "--model", base, "--data", DATA, "--device", "cpu", "--engine", "gpu")
                        .err())
                .contains("the engine 'gpu' was asked for, but it runs on a GPU: ask for the device CUDA or AUTO");
    }

    @Test
    void inspectNamesWhatIsMissingBesideAModel() throws IOException {
        Run none = paritas("inspect", Files.createDirectories(folder.resolve("nothing")));
        assertThat(none.status()).isEqualTo(1);
        assertThat(none.err())
                .contains("a folder must have one of [parity.json, learned.json, folded.json, cascade.json], ")
                .contains("has none: make them with paritas train, or name a model's file");
        Path other = Files.writeString(folder.resolve("curve.json"), "{}");
        assertThat(paritas("inspect", other).err()).contains("curve.json is no descriptor of models");
    }

    @Test
    void aTrainingThatCouldNotBeMeasuredIsRefusedAtOnce() {
        Run run = paritas(
                "train",
                "parity",
                "--model",
                base,
                "--data",
                "glyphs:count=60,side=12",
                "--validation",
                "16",
                "--k",
                "16",
                "--out",
                folder.resolve("unmeasured"));
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "paritas: the accuracy is measured on at least one group of 16 examples for the test, got 12:"
                                + " take more examples, or a smaller group\n");
        assertThat(folder.resolve("unmeasured")).doesNotExist();
    }

    /** Answers take minutes. */
    @Test
    void whatTheModelDoesNotFitIsRefusedBeforeItAnswers() throws IOException {
        Path vectors = network("early.onnx", 144);
        Path script = folder.resolve("early.pt");
        assertThat(paritas("export", base, "--out", script).status()).isZero();
        Path selu = renamed("selu.onnx", file -> write(file, GraphBuilder::relu), "Relu", "Selu");
        Path probabilities = renamed("probabilities.onnx", LearnCommandsTest::scores, "Sigmoid", "Softmax");
        for (List<Object> command : List.of(
                List.<Object>of(
                        "folded",
                        base,
                        "a curriculum must have all classes before the training ends: with 2 of 10 classes at first, and 1"
                                + " more every 60 epochs, all are there from epoch 481 on, and the last one is 50",
                        "--curriculum",
                        "60",
                        "--epochs",
                        "50"),
                List.<Object>of(
                        "parity",
                        vectors,
                        "concatenation needs images (channels, height, width) whose sides can be halved, got the shape"
                                + " [144]: use addition",
                        "--encoder",
                        "CONCATENATION"),
                List.<Object>of(
                        "code",
                        vectors,
                        "a learned code encodes images (channels, height, width), got queries of the shape [144]"),
                List.<Object>of(
                        "folded",
                        script,
                        "a network must be an ONNX graph to be changed or trained, this file is TORCHSCRIPT"),
                List.<Object>of("folded", probabilities, "training on labels takes the softmax of the model's outputs"),
                List.<Object>of(
                        "folded",
                        probabilities,
                        "a network with Softmax 'scores' cannot be folded by 2: it would mix the scores of the 2 images",
                        "--distil"),
                List.<Object>of(
                        "parity",
                        probabilities,
                        "the target LABELS takes the softmax of the model's outputs",
                        "--target",
                        "LABELS"),
                List.<Object>of(
                        "code",
                        probabilities,
                        "the loss KL_BASE takes the softmax of the model's outputs",
                        "--loss",
                        "KL_BASE"),
                List.<Object>of("parity", selu, "the operators of a network for LibTorch must be among [Add, "))) {
            List<Object> all = new ArrayList<>(List.of("--model", command.get(1)));
            all.addAll(command.subList(3, command.size()));
            Run run = train((String) command.get(0), "early", all.toArray());
            assertThat(run.err()).startsWith("paritas: " + command.get(2));
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.progress()).contains(" s, loading the images ").doesNotContain("predicting");
        }
    }

    private static void scores(Path network) {
        GraphBuilder graph = new GraphBuilder(1, 12, 12);
        graph.output(graph.sigmoid("scores", graph.linear(graph.flatten(graph.input()), 10)))
                .toModelFile()
                .write(network);
    }

    /** A network with one operator in the place of another, such as one that ONNX Runtime knows, and LibTorch here does not. */
    private static Path renamed(String name, Consumer<Path> writer, String operator, String other) throws IOException {
        Path network = folder.resolve(name);
        writer.accept(network);
        String bytes = Files.readString(network, ISO_8859_1);
        return Files.writeString(network, bytes.replace(operator, other), ISO_8859_1);
    }

    @Test
    void aDeviceThatIsNotThereIsRefusedBeforeImagesAreLoaded() {
        assumeTrue(LibTorch.unavailable(Device.CUDA).isPresent(), "no CUDA");
        for (String kind : List.of("parity", "code", "folded")) {
            Run run = trainFor(kind, "no-cuda", "--device", "CUDA");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).startsWith("paritas: LibTorch finds no CUDA device");
            assertThat(run.progress()).isEmpty();
        }
        Run base = train("base", "no-cuda", "--device", "CUDA");
        assertThat(base.err()).startsWith("paritas: LibTorch finds no CUDA device");
        assertThat(base.progress()).isEmpty();
    }

    @Test
    void oneTrainingAtATimeHasAFolder() throws IOException {
        Path out = Files.createDirectory(folder.resolve("claimed"));
        Path claim = out.resolve("base.checkpoint.lock");
        try (FileChannel other = FileChannel.open(claim, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = other.lock()) {
            assertThat(lock.isValid()).isTrue();
            Run run = train("base", "claimed", "--epochs", "1");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err())
                    .isEqualTo("paritas: one training or calibration at a time writes into " + out
                            + ", and another one holds base.checkpoint.lock: wait until it has ended\n");
        }
        assertThat(train("base", "claimed", "--epochs", "1").status()).isZero();
        assertThat(claim).doesNotExist();
        assertThat(out.resolve("base.onnx")).isRegularFile();
    }

    /** Its descriptor is the training's until that has ended. */
    @Test
    void modelsThatATrainingWritesAreNotCalibrated() throws IOException {
        Path parity = Files.createDirectory(folder.resolve("in-training"));
        Files.writeString(parity.resolve("parity.json"), "half of a desc");
        Path claim = parity.resolve("parity-0.checkpoint.lock");
        try (FileChannel other = FileChannel.open(claim, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = other.lock()) {
            assertThat(lock.isValid()).isTrue();
            Run run = paritas("train", "calibrate", "--model", base, "--parity", parity, "--data", DATA);
            assertThat(run.err())
                    .isEqualTo("paritas: one training or calibration at a time writes into " + parity
                            + ", and another one holds parity-0.checkpoint.lock: wait until it has ended\n");
        }
    }

    /** Not after the first epoch. */
    @Test
    void foldersThatCannotBeWrittenAreRefusedAtOnce() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Run run = paritas("train", "base", "--data", "glyphs:none", "--out", file);
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("paritas: another file is in the place of " + file + "\n");
        Path unused = folder.resolve("unused");
        assertThat(paritas("train", "base", "--data", "glyphs:none", "--out", unused)
                        .err())
                .contains("glyphs");
        assertThat(unused).doesNotExist();
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThat(paritas("train", "base", "--data", "glyphs:none", "--out", empty)
                        .status())
                .isNotZero();
        assertThat(empty).isEmptyDirectory();
    }

    @Test
    void trainAloneSaysWhatThereIs() {
        Run run = paritas("train");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("say what to train: base, parity, code, folded or calibrate");
    }

    private static Path write(String name, float[] values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return Files.write(folder.resolve(name), bytes.array());
    }

    private static Run trainFor(String kind, String name, Object... options) {
        List<Object> all = new ArrayList<>(List.of("--model", base));
        all.addAll(Arrays.asList(options));
        return train(kind, name, all.toArray());
    }

    private static Run train(String kind, String name, Object... options) {
        List<Object> all = new ArrayList<>(List.of("train", kind, "--data", DATA, "--out", folder.resolve(name)));
        all.addAll(Arrays.asList(options));
        return paritas(all.toArray());
    }

    private static Run paritas(Object... arguments) {
        return Run.paritas(arguments);
    }
}
