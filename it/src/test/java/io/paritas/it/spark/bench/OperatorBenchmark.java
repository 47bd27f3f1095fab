/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.monotonically_increasing_id;

import com.sun.management.OperatingSystemMXBean;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.Exchange;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.spark.ParitasPlugin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the operator costs beside the model: rows a second of one task, against a bare loop of the same engine over the same
 * rows in memory; and the time that the coordinator takes of each segment, with very many of them. {@code -Dbench.slots=4} has spare
 * slots instead of one. No test: it prints.
 *
 * <pre>{@code
 * ./mvnw -P benchmark -pl it -am verify -Dit.test=OperatorBenchmark
 * }</pre>
 */
class OperatorBenchmark {
    private static final int ROUNDS = 5;
    private static final int BATCH = 256;
    /* Two stripes of two. */
    private static final int PARTITIONS = 4;
    /* Those that are printed. Compilers go on however warm the JVM is: planning a query is much code that seldom runs. */
    private static final List<String> THREADS = List.of("tasks", "engine", "compilers");
    private static final int SLOTS = Integer.getInteger("bench.slots", 1);
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    @TempDir
    Path folder;

    private static SparkSession session(int slots) {
        return SparkSession.builder()
                .master("local[" + slots + "]")
                .config("spark.ui.enabled", "false")
                .config("spark.plugins", ParitasPlugin.class.getName())
                .config("spark.sql.files.minPartitionNum", PARTITIONS)
                .getOrCreate();
    }

    @Test
    void rowsPerSecondOfLeNet() throws Exception {
        try (SparkSession session = session(SLOTS)) {
            measure(session, NetworkName.LENET, Integer.getInteger("bench.rows", 200_000));
        }
    }

    @Test
    void rowsPerSecondOfResNet() throws Exception {
        try (SparkSession session = session(SLOTS)) {
            measure(session, NetworkName.RESNET18_NARROW, Integer.getInteger("bench.rows", 20_000));
        }
    }

    private void measure(SparkSession session, NetworkName network, int rows) throws Exception {
        Path models = folder.resolve(network.name());
        Graph graph =
                Initialisation.XAVIER.apply(Networks.named(network.toString(), network.shape(), network.classes()), 1);
        ModelFile file = graph.toModelFile();
        Map<String, String> settings =
                Map.of("k", "2", "r", "1", "encoder", "addition", "decoder", "subtraction", "target", "outputs");
        DeployedModel deployed = new DeployedModel(file, graph.input(), graph.output());
        Bundle.of(BundleKind.PARITY, deployed, Map.of("parity-0", file))
                .withSettings(settings)
                .write(models);
        file.write(models.resolve("model.onnx"));
        byte[] pixels = new byte[graph.input().size()];
        new Random(1).nextBytes(pixels);
        Dataset<Row> input = file(
                session.range(0, rows, 1, PARTITIONS)
                        .select(col("id"), lit(pixels).as("x")),
                models);
        race(network.toString(), models, file, rows, input, col("x"));
        race(network + ", cached", models, file, rows, cached(input), col("x"));
    }

    /** What a task can bring to a GPU: the model takes rows of 3×32×32 bytes as they are stored, and computes nothing. */
    @Test
    void rowsThatATaskBrings() throws Exception {
        System.setProperty(NoWorkEngine.ON, "");
        int rows = Integer.getInteger("bench.rows", 200_000);
        Graph graph = Networks.named("lenet", List.of(3, 32, 32), 10);
        Path model = folder.resolve("model.onnx");
        Initialisation.XAVIER.apply(graph, 1).toModelFile().write(model);
        try (SparkSession session = session(SLOTS)) {
            Dataset<Row> images = session.range(0, rows, 1, PARTITIONS)
                    .map((MapFunction<Long, byte[]>) OperatorBenchmark::image, Encoders.BINARY())
                    .toDF("x")
                    .withColumn("id", monotonically_increasing_id());
            Dataset<Row> parquet = file(images, folder);
            brought("Parquet", rows, model, parquet);
            brought("Spark's cache", rows, model, cached(parquet));
        } finally {
            System.clearProperty(NoWorkEngine.ON);
        }
    }

    private static byte[] image(long seed) {
        byte[] pixels = new byte[3 * 32 * 32];
        new Random(seed).nextBytes(pixels);
        return pixels;
    }

    private static void brought(String from, int rows, Path model, Dataset<Row> images) {
        Map<String, Runnable> lanes = new LinkedHashMap<>();
        lanes.put("reading alone", () -> write(images));
        for (int batch : new int[] {BATCH, 1024}) {
            Predict call = Predict.plain(model.toString(), col("x")).option(EngineSettings.NAME, NoWorkEngine.NAME);
            lanes.put("batches of " + batch, () -> write(predicted(images, call, batch)));
        }
        Turns turns = Turns.of(lanes);
        lanes.keySet()
                .forEach(lane -> System.out.printf(
                        "rows of 3x32x32 bytes from %s, %s: %.0f rows/s, %.2f us of tasks a row%n",
                        from, lane, rows / turns.seconds(lane), 1e6 * turns.threads(lane)[0] / rows));
    }

    @Test
    void rowsPerSecondOfTinyModels() throws Exception {
        int rows = Integer.getInteger("bench.rows", 4_000_000);
        ExactModel model = ExactModel.of(10, 1, 1);
        model.write(folder);
        model.parity(2, 1, Map.of()).write(folder);
        Column[] values = IntStream.range(0, 10)
                .mapToObj(i -> col("id").plus(i).mod(7 + i).cast("float").as("x" + i))
                .toArray(Column[]::new);
        try (SparkSession session = session(SLOTS)) {
            Dataset<Row> ids = session.range(0, rows, 1, PARTITIONS).toDF("id");
            Dataset<Row> arrays = file(ids.select(col("id"), array(values).as("x")), folder.resolve("arrays"));
            Dataset<Row> columns = file(
                    ids.select(Stream.concat(Stream.of(col("id")), Stream.of(values))
                            .toArray(Column[]::new)),
                    folder.resolve("columns"));
            Column[] named = IntStream.range(0, 10).mapToObj(i -> col("x" + i)).toArray(Column[]::new);
            race("array of 10 floats", folder, model.file(), rows, arrays, col("x"));
            race("10 columns", folder, model.file(), rows, columns, named);
            race("10 cached columns", folder, model.file(), rows, cached(columns), named);
        }
    }

    private static Dataset<Row> file(Dataset<Row> rows, Path at) {
        String path = at.resolve("rows").toString();
        rows.write().parquet(path);
        return rows.sparkSession().read().parquet(path);
    }

    private static Dataset<Row> cached(Dataset<Row> rows) {
        Dataset<Row> cached = rows.cache();
        return cached.count() > 0 ? cached : rows;
    }

    /** All take turns; the first round warms up. */
    private static void race(
            String name, Path models, ModelFile file, int rows, Dataset<Row> input, Column... columns) {
        String model = models.resolve("model.onnx").toString();
        Map<String, Runnable> lanes = new LinkedHashMap<>();
        lanes.put("bare loop", () -> bare(file, rows));
        lanes.put("reading alone", () -> write(input));
        lanes.put("predict", () -> write(predicted(input, Predict.plain(model, columns))));
        for (Exchange exchange : new Exchange[] {Exchange.ALWAYS, Exchange.AUTO}) {
            lanes.put(
                    "coded_predict, exchange=" + exchange.name().toLowerCase(Locale.ROOT),
                    () -> write(
                            predicted(input, Predict.coded(model, columns).option(CodedSettings.EXCHANGE, exchange))));
        }
        Turns turns = Turns.of(lanes);
        double bare = turns.seconds("bare loop");
        double bareCpu = turns.cpu("bare loop");
        for (String lane : lanes.keySet()) {
            double[] threads = turns.threads(lane);
            System.out.printf(
                    "%s, %d rows, %s: %.0f rows/s, %.0f %% of the bare loop, CPU %.2f times: tasks %.2f, engine %.2f,"
                            + " compilers %.2f%n",
                    name,
                    rows,
                    lane,
                    rows / turns.seconds(lane),
                    100 * bare / turns.seconds(lane),
                    turns.cpu(lane) / bareCpu,
                    threads[0] / bareCpu,
                    threads[1] / bareCpu,
                    threads[2] / bareCpu);
        }
    }

    /** What lanes that take turns needed in each round, but the first one, which warms up: medians, in seconds. */
    private record Turns(Map<String, double[]> seconds, Map<String, double[]> cpu, Map<String, double[][]> threads) {
        static Turns of(Map<String, Runnable> lanes) {
            Turns turns = new Turns(new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
            for (int round = -1; round < ROUNDS; round++) {
                for (Map.Entry<String, Runnable> lane : lanes.entrySet()) {
                    turns.take(lane.getKey(), round, lane.getValue());
                }
            }
            return turns;
        }

        private void take(String lane, int round, Runnable work) {
            double[] threadsBefore = threadSeconds();
            long cpuBefore = PROCESS.getProcessCpuTime();
            long start = System.nanoTime();
            work.run();
            double took = (System.nanoTime() - start) / 1e9;
            if (round < 0) {
                return;
            }
            seconds.computeIfAbsent(lane, key -> new double[ROUNDS])[round] = took;
            cpu.computeIfAbsent(lane, key -> new double[ROUNDS])[round] =
                    (PROCESS.getProcessCpuTime() - cpuBefore) / 1e9;
            double[] threadsAfter = threadSeconds();
            double[][] each = threads.computeIfAbsent(lane, key -> new double[THREADS.size()][ROUNDS]);
            for (int kind = 0; kind < each.length; kind++) {
                each[kind][round] = threadsAfter[kind] - threadsBefore[kind];
            }
        }

        double seconds(String lane) {
            return Median.of(seconds.get(lane));
        }

        double cpu(String lane) {
            return Median.of(cpu.get(lane));
        }

        /** Of each kind of {@link #THREADS}. */
        double[] threads(String lane) {
            return Stream.of(threads.get(lane)).mapToDouble(Median::of).toArray();
        }
    }

    private static double[] threadSeconds() {
        try {
            Map<String, Double> all =
                    ThreadTimes.of(List.of(ProcessHandle.current().pid()));
            return THREADS.stream()
                    .mapToDouble(kind -> all.getOrDefault(kind, 0.0))
                    .toArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void bare(ModelFile file, int rows) {
        try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT)) {
            FloatBuffer inputs = Model.direct(BATCH * model.input().size());
            FloatBuffer outputs = Model.direct(BATCH * model.output().size());
            for (int row = 0; row < rows; row += BATCH) {
                model.predict(Math.min(BATCH, rows - row), inputs.clear(), outputs.clear());
            }
        }
    }

    private static Dataset<Row> predicted(Dataset<Row> input, Predict call) {
        return predicted(input, call, BATCH);
    }

    private static Dataset<Row> predicted(Dataset<Row> input, Predict call, int batch) {
        return input.select(
                col("id"),
                call.option(InputSettings.TYPE, BinaryContent.UINT8)
                        .option(EngineSettings.BATCH_ROWS, batch)
                        .toColumn()
                        .as("answer"));
    }

    private static void write(Dataset<Row> rows) {
        rows.write().format("noop").mode("overwrite").save();
    }

    @Test
    void timeOfTheCoordinatorForEachSegment() throws Exception {
        ExactModel model = ExactModel.of(3, 2, 1);
        Path path = model.write(folder);
        model.parity(2, 1, Map.of()).write(folder);
        int segments = 1998;
        try (SparkSession session = session(4)) {
            double[] plain = new double[ROUNDS];
            double[] coded = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                plain[round] = tiny(session, segments, Predict.plain(path.toString(), col("x")));
                coded[round] = tiny(
                        session, 8, Predict.coded(path.toString(), col("x")).option(CodedSettings.SEGMENTS, segments));
            }
            System.out.printf(
                    "%d segments of 10 rows in 4 slots: plain %.3f ms a segment, coded %.3f ms a segment (with its"
                            + " exchange)%n",
                    segments, 1000 * Median.of(plain) / segments, 1000 * Median.of(coded) / segments);
        }
    }

    private static double tiny(SparkSession session, int partitions, Predict call) {
        Dataset<Row> rows = session.range(0, 19_980, 1, partitions)
                .selectExpr("id", "array(float(id % 5), float(id % 3), float(id % 7)) AS x");
        long start = System.nanoTime();
        rows.select(
                        col("id"),
                        call.option(EngineSettings.BATCH_ROWS, 5).toColumn().as("answer"))
                .write()
                .format("noop")
                .mode("overwrite")
                .save();
        return (System.nanoTime() - start) / 1e9;
    }
}
