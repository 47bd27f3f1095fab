/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import com.sun.management.OperatingSystemMXBean;
import io.paritas.cli.jvm.KernelJava;
import io.paritas.cli.result.ResultFile;
import io.paritas.cli.spark.SparkHome;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.CompleteFile;
import io.paritas.inference.recommend.train.TrainingDefaults;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code paritas recommend}: its options, cluster and plots. */
@Command(
        name = "recommend",
        header = "Trains a recommendation model and kills a parameter server halfway.",
        description = {
            "",
            "Starts a Spark cluster of processes on this machine, with an executor for each parameter server, a spare and each"
                    + " worker; generates clicks; trains a DLRM whose embedding table is erasure-coded among the servers; and"
                    + " kills the executor of a server (kill -9) halfway. Training goes on. With one worker it trains the same"
                    + " model without a failure before, and compares all rows, bit for bit. Where trainings are compared, a short"
                    + " one that no curve shows comes first, so that all find warm processes.",
            "",
            "Prints a timeline, and writes curves (CSV), the model, and a picture of throughput and loss (PNG).",
            "",
            "With --data it trains on your files, kills nothing unless told to, and evaluates the model (AUC) with the samples that"
                    + " it holds out.",
            "",
            "On a cluster of your own, submit io.paritas.cli.spark.jobs.TrainRecommendation:"
                    + " docs/recommendation-training.md.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  paritas recommend",
            "  paritas recommend --out clicks --servers 5 --k 4 --samples 500000 --baseline checkpoint --every 20",
            "  paritas recommend --data clicks.parquet --label clicked --dense price,age --categorical shop,city --epochs 3",
            "  paritas recommend --data day_0 --checkpoints checkpoints --every 60 --epochs 5 --patience 1",
        },
        sortOptions = false)
public final class RecommendCommand implements Callable<Integer> {
    /* A class that cannot be loaded without Spark. */
    private static final String MAIN_CLASS = "io.paritas.cli.spark.jobs.TrainRecommendation";
    /** Whether a terminal shows standard error. */
    private static final boolean TERMINAL = Boolean.getBoolean("paritas.terminal");
    /** Seconds between reports of progress: there for somebody who looks, elsewhere for a log. */
    private static final int PROGRESS = TERMINAL ? 1 : 60;
    /** Seconds between checkpoints. */
    private static final int EVERY = 20;

    private static final int SAMPLES = 100_000;

    /** The training that a coded one is compared with. */
    enum Baseline {
        NONE,
        CHECKPOINT
    }

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The directory for curves, model and picture; new or empty. Default: recommendation")
    private Path out = Path.of("recommendation");

    @Mixin
    private DataOptions data = new DataOptions();

    @Mixin
    private LearningOptions learning = new LearningOptions();

    @Option(names = "--samples", paramLabel = "N", description = "Samples to generate and train on. Default: 100000")
    private Optional<Integer> samples = Optional.empty();

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Rows of the embedding table, or of each column's table. Default: 100000")
    private int rows = 100_000;

    @Option(names = "--dimension", paramLabel = "N", description = "Values in a row. Default: ${DEFAULT-VALUE}")
    private int dimension = TrainingDefaults.DIMENSION;

    @Option(names = "--servers", paramLabel = "S", description = "Parameter servers. Default: ${DEFAULT-VALUE}")
    private int servers = TrainingDefaults.SERVERS;

    @Option(
            names = "--k",
            paramLabel = "K",
            description = "Rows of a stripe, which share its parities. Default: ${DEFAULT-VALUE}")
    private int k = TrainingDefaults.K;

    @Option(
            names = "--r",
            paramLabel = "R",
            description = "Parities of a stripe, 1 or 2: so many servers may fail at once. Default: ${DEFAULT-VALUE}")
    private int r = TrainingDefaults.R;

    @Option(names = "--workers", paramLabel = "W", description = "Tasks that train at once. Default: 1")
    private int workers = 1;

    @Option(names = "--batch", paramLabel = "N", description = "Samples in a batch. Default: ${DEFAULT-VALUE}")
    private int batch = TrainingDefaults.BATCH;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of everything random. Default: 1")
    private int seed = 1;

    @Option(
            names = "--kill",
            negatable = true,
            description =
                    "Kill the executor of a server halfway, or nothing. Default: --kill without --data, --no-kill with it")
    private Optional<Boolean> kill = Optional.empty();

    @Option(
            names = "--baseline",
            paramLabel = "KIND",
            description = "checkpoint: also train without redundancy, and restore checkpoints after the kill. Default:"
                    + " none")
    private Baseline baseline = Baseline.NONE;

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            description = "Seconds between checkpoints. Default: " + EVERY + " for --baseline, "
                    + TrainingDefaults.CHECKPOINT_SECONDS + " for --checkpoints")
    private Optional<Integer> every = Optional.empty();

    @Option(names = "--heap", paramLabel = "MB", description = "Heap of an executor, at least 512. Default: 512")
    private int heap = 512;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        check();
        PrintWriter err = spec.commandLine().getErr();
        PrintWriter console = spec.commandLine().getOut();
        int executors = servers + 1 + workers;
        say(err, "starting a Spark cluster with " + executors + " executors ...");
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(executors, 1, heap))) {
            List<Path> jars = new ArrayList<>(SparkHome.paritas());
            jars.add(SparkHome.examples());
            say(err, "the cluster runs, starting the driver ...");
            Map<String, String> settings = new LinkedHashMap<>(cluster.withJars(jars));
            settings.put(
                    "spark.executor.extraJavaOptions",
                    String.join(" ", KernelJava.running().options()));
            Process driver = cluster.submit(SparkHome.examples(), MAIN_CLASS, List.of(), settings, arguments());
            follow(driver, new DriverOutput(console, err, TERMINAL));
            int status = driver.waitFor();
            if (cluster.isEnding()) {
                return status;
            }
            if (status != 0) {
                throw new IllegalStateException("training has failed: " + cluster.reason());
            }
        }
        CurvePlot.write(curves(), new ResultFile(out.resolve("timeline.png")));
        say(err, "curves, model and picture are in " + out);
        return 0;
    }

    private void check() throws IOException {
        data.problem().ifPresent(problem -> require(false, problem));
        learning.problem().ifPresent(problem -> require(false, problem));
        require(
                samples.isEmpty() || !data.isGiven(),
                "--samples is how many samples are generated, and --data has its own: leave one of the two out");
        require(
                !learning.isResumed() || !kills(),
                "--resume goes on with a training that was interrupted, and kills nothing: add --no-kill");
        require(
                !learning.stopsEarly() || data.holdsOut(),
                "--patience needs samples to evaluate the model with, of which --held-out 0 leaves none: hold some out, or"
                        + " leave --patience out");
        usage().requireAtLeast(1, "--samples", samples.orElse(SAMPLES));
        usage().requireAtLeast(1, "--dimension", dimension);
        usage().requireAtLeast(1, "--workers", workers);
        usage().requireAtLeast(1, "--batch", batch);
        if (data.isGiven()) {
            usage().requireAtLeast(1, "--rows", rows);
        } else {
            require(rows >= 26, "--rows must be at least 26, one for each categorical value, got " + rows);
        }
        usage().requireAtLeast(1, "--k", k);
        require(r == 1 || r == 2, "--r must be 1 or 2, got " + r);
        require(
                k + r <= servers,
                "--k and --r must together be no more than --servers, one server for each row and parity of a"
                        + " stripe, got " + k + ", " + r + " and " + servers);
        require(
                servers <= StandaloneCluster.Size.MOST_WORKERS - 1 - workers,
                "--servers and --workers must together be at most " + (StandaloneCluster.Size.MOST_WORKERS - 1)
                        + ", with a spare one beside them, got " + servers + " and " + workers);
        requireMemory();
        if (every.isPresent()) {
            usage().requireAtLeast(1, "--every", every.get());
            require(
                    baseline == Baseline.CHECKPOINT || learning.writesCheckpoints(),
                    "--every is the time between checkpoints, of which there are none: add --checkpoints DIR or --baseline"
                            + " checkpoint");
        }
        data.missing()
                .ifPresent(path -> require(false, "--data must name a file or a folder, there is none at " + path));
        CompleteFile.createFolder(out);
        try (var files = Files.list(out)) {
            require(
                    files.findAny().isEmpty(),
                    "--out must be new or empty, " + out + " has files: name another directory");
        }
    }

    /** Executors that the system cannot give memory to start, end, and start again, without a word. */
    private void requireMemory() {
        require(heap >= 512, "--heap must be at least 512, got " + heap);
        long executors = servers + 1L + workers;
        long machine =
                ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize() >> 20;
        require(
                executors * heap <= machine,
                "the memory of this machine, " + machine + " MB, must have room for " + executors
                        + " executors with --heap, got " + heap
                        + ": ask for less, or for fewer --servers or --workers");
    }

    private Usage usage() {
        return new Usage(spec);
    }

    private void require(boolean condition, String message) {
        usage().check(condition, "%s", message);
    }

    private boolean kills() {
        return kill.orElse(!data.isGiven());
    }

    private String[] arguments() {
        List<String> arguments = new ArrayList<>(List.of(
                out.toAbsolutePath().toString(),
                "samples=" + samples.orElse(SAMPLES),
                "rows=" + rows,
                "dimension=" + dimension,
                "servers=" + servers,
                "k=" + k,
                "r=" + r,
                "workers=" + workers,
                "batch=" + batch,
                "seed=" + seed,
                "progress=" + PROGRESS,
                "kill=" + kills(),
                "baseline=" + (baseline == Baseline.CHECKPOINT ? every.orElse(EVERY) : 0)));
        every.ifPresent(seconds -> arguments.add("every=" + seconds));
        arguments.addAll(data.arguments());
        arguments.addAll(learning.arguments());
        return arguments.toArray(String[]::new);
    }

    private static void follow(Process driver, DriverOutput output) throws IOException {
        try (BufferedReader lines = driver.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.line(line);
            }
        }
        output.clear();
    }

    private List<Curve> curves() throws IOException {
        List<Curve> curves = new ArrayList<>();
        for (String name : List.of("undisturbed", "coded", "checkpoint")) {
            Path csv = out.resolve(name + ".csv");
            if (Files.exists(csv)) {
                curves.add(Curve.read(name, csv));
            }
        }
        return curves;
    }

    private static void say(PrintWriter err, String line) {
        err.println("paritas: " + line);
        err.flush();
    }
}
