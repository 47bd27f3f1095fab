/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.cli.spark.SparkHome;
import io.paritas.gpu.Gpu;
import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.ModelPool;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.spark.Deployment;
import io.paritas.inference.serving.spark.ServingPlan;
import io.paritas.inference.serving.spark.ServingSettings;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.it.Await;
import io.paritas.it.spark.FoundFaults.Task;
import io.paritas.spark.ParitasPlugin;
import java.io.File;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Two executors with two GPUs each, which the kernels' emulator on the CPU plays, while everything of Spark is real: workers find GPUs by a
 * script, tasks get their addresses, and the executor whose GPU is lost is replaced.
 */
class EmulatedGpuIT {
    private static final int EXECUTORS = 2;
    private static final int CORES = 4;
    private static final int PARTITIONS = 2 * EXECUTORS * CORES;
    private static final int ROWS = PARTITIONS * 2 * KnownAnswers.BATCH_ROWS;
    private static final Path EMULATOR = Path.of(System.getProperty("paritas.gpu.emulator", "../gpu/target/emulator"))
            .toAbsolutePath()
            .normalize();

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    static Path folder;

    private static SparkSession session;
    private static KnownAnswers known;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                Files.exists(EMULATOR.resolve("libcuda.so.1")),
                "skipped: the emulator of GPUs is not in " + EMULATOR + ", it takes g++ to build it");
        SPARK.endApplication();
        SparkHome.create(Path.of(System.getenv("SPARK_HOME")));
        session = SparkSession.builder()
                .config(Map.copyOf(settings()))
                .master("local-cluster[" + EXECUTORS + "," + CORES + ",1024]")
                .getOrCreate();
        known = KnownAnswers.exact(folder, 2, 1);
    }

    /** An executor that has just registered, as one in the place of another, gets no tasks at first. */
    @BeforeEach
    void awaitExecutors() throws Exception {
        Await.until(
                "all executors get tasks",
                () -> SharedSpark.working(session, EXECUTORS).size() == EXECUTORS,
                EmulatedGpuIT::executors);
    }

    private static Map<String, String> settings() throws Exception {
        Map<String, String> settings = new HashMap<>(SPARK.settings());
        settings.put("spark.jars", SharedSpark.jars() + "," + gpuJars());
        settings.put("spark.plugins", ParitasPlugin.class.getName());
        settings.put("spark.cores.max", String.valueOf(EXECUTORS * CORES));
        settings.put("spark.executor.memory", "1024m");
        settings.put("spark.scheduler.minRegisteredResourcesRatio", "1");
        settings.put("spark.worker.resource.gpu.amount", "2");
        settings.put(
                "spark.worker.resource.gpu.discoveryScript", discoveryScript().toString());
        settings.put("spark.executor.resource.gpu.amount", "2");
        settings.put("spark.task.resource.gpu.amount", "0.5");
        settings.put("spark.executor.extraLibraryPath", EMULATOR.toString());
        settings.put("spark.executorEnv.EMU_DEVICES", "2");
        settings.put("spark.executorEnv.EMU_LOST_FILE", loss().toString());
        settings.put("spark.executorEnv.EMU_WRONG_FILE", wrong().toString());
        /* The emulator computes wrong values on matrix units, which multiply float16. */
        settings.put(
                "spark.executor.extraJavaOptions",
                SPARK.settings().get("spark.executor.extraJavaOptions") + " -Dio.paritas.gpu.network.precision=half");
        return settings;
    }

    private static String gpuJars() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().matches("(paritas-gpu|jcuda).*\\.jar"))
                .map(jar -> "local:" + jar)
                .collect(Collectors.joining(","));
    }

    private static Path discoveryScript() throws Exception {
        Path script = folder.resolve("gpus.sh");
        Files.writeString(script, "#!/bin/sh\necho '{\"name\": \"gpu\", \"addresses\": [\"0\", \"1\"]}'\n");
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    /** The first process that finds this file loses its GPU, and deletes the file. */
    private static Path loss() {
        return folder.resolve("lose-a-gpu");
    }

    /** Names the kernel of which the next launch, or every launch, computes something wrong. */
    private static Path wrong() {
        return folder.resolve("compute-something-wrong");
    }

    @AfterAll
    static void stop() {
        if (session != null) {
            session.stop();
        }
    }

    private static List<Row> answers(Predict predict) {
        return KnownAnswers.rows(session, ROWS, PARTITIONS)
                .select(col("id"), predict.option("batchRows", "4").toColumn().as("answer"))
                .select("id", "answer.*")
                .collectAsList();
    }

    private static Predict plain(String engine, String device) {
        return Predict.plain(known.path().toString(), col("x"))
                .option("engine", engine)
                .option("device", device);
    }

    /**
     * What an executor says.
     *
     * @param addresses of the GPUs of one of its tasks
     * @param loaded models that it has loaded so far
     * @param device where the model runs
     */
    record Seen(String executor, List<String> addresses, String uuid, long loaded, String device)
            implements Serializable {
        private static final long serialVersionUID = 1;

        static Seen here(String model) {
            List<String> addresses =
                    Arrays.asList(TaskContext.get().resourcesJMap().get("gpu").addresses());
            String device = ModelPool.shared()
                    .find(model)
                    .map(lease -> {
                        try (lease) {
                            return lease.model().device().toString();
                        }
                    })
                    .orElse("none");
            return new Seen(
                    SparkEnv.get().executorId(),
                    addresses,
                    Gpu.get(Integer.parseInt(addresses.get(0))).uuid(),
                    ModelPool.shared().metrics().loaded(),
                    device);
        }
    }

    /** Asks tasks in all slots. */
    private static List<Seen> seen(String engine, Device device) {
        String model = ModelPool.name(
                ModelFile.read(known.path()),
                ModelOptions.DEFAULT.withEngine(engine).withDevice(device).withInputShape(KnownAnswers.SHAPE));
        return new JavaSparkContext(session.sparkContext())
                .parallelize(Collections.nCopies(PARTITIONS, 100), PARTITIONS)
                .map(millis -> {
                    Thread.sleep(millis);
                    return Seen.here(model);
                })
                .collect();
    }

    private static <T> Set<T> all(List<Seen> seen, java.util.function.Function<Seen, T> what) {
        return seen.stream().map(what).collect(Collectors.toSet());
    }

    /** An executor has the model once on each of its GPUs, for all of its tasks. One of them may have been too late to get any. */
    @Test
    void tasksPredictOnTheGpusThatSparkAssignsAndShareThem() {
        List<Seen> before = seen("gpu", Device.CUDA);
        known.check(answers(plain("gpu", "cuda")), ROWS);
        List<Seen> after = seen("gpu", Device.CUDA);

        assertThat(all(after, Seen::executor)).hasSize(EXECUTORS);
        assertThat(all(after, Seen::addresses)).containsExactlyInAnyOrder(List.of("0"), List.of("1"));
        assertThat(all(after, Seen::uuid)).hasSize(2);
        assertDevice("CUDA", after);
        Map<String, Long> loaded = loaded(before);
        assertThat(loaded(after)).allSatisfy((executor, models) -> assertThat(models - loaded.get(executor))
                .isBetween(0L, 2L));
        known.check(answers(known.predict().option("engine", "gpu").option("device", "cuda")), ROWS);
    }

    /** The stage has a profile of its own. Its models have other options than those of the other tests. */
    @Test
    void tasksThatAskForCoresKeepTheirGpus() {
        known.check(answers(plain("gpu", "cuda").option("taskCpus", "1").option("threads", "2")), ROWS);

        String model = ModelPool.name(
                ModelFile.read(known.path()),
                ModelOptions.DEFAULT
                        .withEngine("gpu")
                        .withDevice(Device.CUDA)
                        .withThreads(2)
                        .withInputShape(KnownAnswers.SHAPE));
        List<Integer> gpus = new JavaSparkContext(session.sparkContext())
                .parallelize(Collections.nCopies(PARTITIONS, 100), PARTITIONS)
                .map(millis -> {
                    Thread.sleep(millis);
                    return ModelPool.shared().hardware(model).size();
                })
                .collect();
        assertThat(gpus).contains(2);
    }

    /** They cross the bus as they are. */
    @Test
    void rowsOfBytesAreAnswered() {
        String bytes =
                "unhex(concat(lpad(hex(id % 5), 2, '0'), lpad(hex(id % 3), 2, '0'), lpad(hex(id % 7), 2, '0'))) AS x";
        Dataset<Row> rows = session.range(0, ROWS, 1, PARTITIONS).toDF().selectExpr("id", bytes);
        for (Predict call : List.of(
                plain("gpu", "cuda"), known.predict().option("engine", "gpu").option("device", "cuda"))) {
            known.check(known.of(rows, call.option("type", "uint8")).collectAsList(), ROWS);
        }
    }

    private static void assertDevice(String device, List<Seen> seen) {
        assertThat(all(seen, Seen::device)).contains(device).isSubsetOf(device, "none");
    }

    private static Map<String, Long> loaded(List<Seen> seen) {
        return seen.stream().collect(Collectors.toMap(Seen::executor, Seen::loaded, Math::max));
    }

    @Test
    void theDeviceDecidesOnTheEngine() {
        known.check(answers(plain("auto", "cuda")), ROWS);
        known.check(answers(plain("auto", "cpu")), ROWS);
        known.check(answers(plain("auto", "auto")), ROWS);

        assertDevice("CUDA", seen("auto", Device.CUDA));
        assertDevice("CPU", seen("auto", Device.CPU));
        assertDevice("CUDA", seen("auto", Device.AUTO));
        assertThatThrownBy(() -> answers(plain("onnxruntime", "cuda")))
                .hasStackTraceContaining("the engine 'onnxruntime' was asked for, but ");
        assertThatThrownBy(() -> answers(plain("gpu", "cpu")))
                .hasStackTraceContaining(
                        "the engine 'gpu' was asked for, but it runs on a GPU: ask for the device CUDA");
    }

    /** The task that met the loss says so, unless its executor ends before it can. */
    @ParameterizedTest
    @ValueSource(strings = {"fail", "null"})
    void anExecutorWhoseGpuIsLostIsReplaced(String onError) throws Exception {
        Predict predict = plain("gpu", "cuda").option("onError", onError);
        known.check(answers(predict), ROWS);
        List<String> before = executors();
        List<Task> tasks;
        try (FoundFaults found = FoundFaults.listen(session)) {
            Files.createFile(loss());
            known.check(answers(predict), ROWS);
            tasks = found.await(PARTITIONS);
        }

        assertThat(loss()).doesNotExist();
        Await.until(
                "one of the executors " + before + " is replaced",
                () -> executors().size() == EXECUTORS && !before.containsAll(executors()),
                EmulatedGpuIT::executors);
        assertThat(before).as("the other one goes on").containsAnyElementsOf(executors());
        assertThat(tasks).filteredOn(task -> !task.failure().isEmpty()).allSatisfy(task -> {
            assertThat(executors()).doesNotContain(task.executor());
            assertThat(task.failure())
                    .contains("model.onnx failed: gpu cannot predict 4 rows of ")
                    .contains("CUDA_ERROR_LAUNCH_FAILED")
                    .contains(" is lost to this process: start it again");
        });
        known.check(answers(predict), ROWS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"global", "thread", "guided"})
    void wrongValuesOfAGpuAreFoundAndPutRight(String mode) throws Exception {
        Predict predict = plain("auto", "cuda").option("protect", mode);
        known.check(answers(predict), ROWS); // measures and loads
        List<Task> tasks;
        try (FoundFaults found = FoundFaults.listen(session)) {
            Files.writeString(wrong(), "gemm");
            known.check(answers(predict), ROWS);
            tasks = found.await(PARTITIONS);
        }

        assertThat(wrong()).doesNotExist();
        assertThat(tasks).allSatisfy(task -> {
            assertThat(task.checks()).isPositive();
            assertThat(task.failure()).isEmpty();
        });
        assertThat(tasks.stream().mapToLong(Task::detections).sum()).isOne();
        assertThat(tasks.stream().mapToLong(Task::recomputations).sum()).isOne();
    }

    /** Nothing wrong is answered, and the error names the GPU. */
    @Test
    void valuesThatStayWrongAreNotAnswered() throws Exception {
        Predict predict = plain("gpu", "cuda").option("protect", "thread");
        known.check(answers(predict), ROWS);
        try {
            Files.writeString(wrong(), "always gemm");
            assertThatThrownBy(() -> answers(predict))
                    .hasStackTraceContaining("model.onnx failed on executor ")
                    .hasStackTraceContaining("' of a batch of 4 rows, and again when it was computed once more")
                    .hasStackTraceContaining("otherwise the GPU CPU that emulates a GPU (GPU-");
        } finally {
            Files.delete(wrong());
        }
        known.check(answers(predict), ROWS);
    }

    /** Whoever asked it asks the other one. */
    @Test
    void aServedInstanceWhoseGpuIsLostStartsAgainElsewhere() throws Exception {
        ServingPlan plan = ServingPlan.of(new SparkConf(false)
                .set(ServingSettings.MODEL.key(), known.path().toString())
                .set(ServingSettings.NAME.key(), "linear")
                .set(ServingSettings.POLICY.key(), "none")
                .set(ServingSettings.INSTANCES.key(), "2")
                .set(ServingSettings.DEADLINE.key(), "30s")
                .set(EngineSettings.NAME.key(), "gpu")
                .set(EngineSettings.DEVICE.key(), "cuda"));
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment =
                        new Deployment(JavaSparkContext.fromSparkContext(session.sparkContext()), frontEnd)) {
            deployment.deploy(plan);
            deployment.awaitReady(plan, Duration.ofMinutes(2));
            assertAnswers(frontEnd, 100);

            Files.createFile(loss());
            for (int i = 0; i < 1_000 && Files.exists(loss()); i++) {
                assertAnswers(frontEnd, 1);
            }
            assertThat(loss()).doesNotExist();
            assertAnswers(frontEnd, 100);
            Await.until("both are there again", () -> deployment.isComplete(plan), EmulatedGpuIT::executors);
            assertAnswers(frontEnd, 100);
        }
    }

    private static void assertAnswers(FrontEnd frontEnd, int queries) throws Exception {
        for (int query = 0; query < queries; query++) {
            float[] input = {query % 5, query % 3, query % 7};
            Reply reply = frontEnd.predict("linear", "", "tenant", List.of(input), Duration.ZERO)
                    .get(0)
                    .get(1, TimeUnit.MINUTES);
            assertThat(reply.reason()).as("query %s", query).isEmpty();
            assertThat(reply.values()).as("query %s", query).isEqualTo(KnownAnswers.predict(input));
        }
    }

    private static List<String> executors() {
        return CollectionConverters.asJava(session.sparkContext().getExecutorIds());
    }
}
