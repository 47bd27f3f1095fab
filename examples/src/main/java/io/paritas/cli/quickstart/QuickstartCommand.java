/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import io.paritas.cli.quickstart.Cleanup.Keep;
import io.paritas.cli.spark.StandaloneCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code paritas quickstart}: its options and its reports of failures. */
@Command(
        name = "quickstart",
        header = "Kills DataNodes of a real HDFS cluster without losing any data.",
        description = {
            "",
            "Starts a NameNode and DataNodes as processes on the loopback interface, writes FILE erasure-coded,"
                    + " kills as many"
                    + " DataNodes as the policy tolerates, reads the file nevertheless, lets HDFS rebuild the"
                    + " lost blocks on"
                    + " new DataNodes, and checks the result with hdfs debug verifyEC. Compares the coder"
                    + " rs_paritas with"
                    + " Hadoop's rs_java meanwhile. Takes up to three minutes, and leaves nothing behind.",
            "",
            "With --spark: starts a Spark cluster of processes, a master and three workers with an executor each;"
                    + " trains a small"
                    + " classifier and its parity model; and classifies images, plainly and coded: undisturbed,"
                    + " while a task"
                    + " sleeps, and while an executor is killed. Takes two or three minutes.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  paritas quickstart",
            "  paritas quickstart --policy RS-3-2-1024k --seed 42 /path/to/a/large/file",
            "  paritas quickstart --spark",
            "  paritas quickstart --spark --model base.onnx --parity parity/ --images images/",
        },
        sortOptions = false)
public final class QuickstartCommand implements Callable<Integer> {
    /** Copies of the file on disk: two files, their parity, rebuilt blocks, and overwritten files not yet deleted. */
    private static final int DISK_FACTOR = 8;

    private static final Path MODULES = Path.of(System.getProperty("java.home"), "lib", "modules");

    /** The measured memory of all its processes, with the driver and this program. */
    private static final long SPARK_BYTES = 5L << 30;

    /** As many executors as a stripe has units, k + r. */
    private static final StandaloneCluster.Size SPARK = new StandaloneCluster.Size(3, 1, 512);

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "The file to store. Default: lib/modules of this JDK, more than 100 MB.")
    private Path file = MODULES;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "RS-3-2-1024k, RS-6-3-1024k or RS-10-4-1024k. Default: RS-6-3-1024k with its 9 DataNodes, or"
                    + " RS-3-2-1024k with 5 where memory is short.")
    private String policy;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the random ranges to read. Default: a new one each time.")
    private Long seed;

    @Option(
            names = "--keep",
            description = "Keep the directory of the cluster, with blocks, settings and logs; of a Spark cluster,"
                    + " only the logs.")
    private boolean keep;

    @ArgGroup(exclusive = false, heading = "%nWith Spark:%n")
    private SparkOptions spark;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Progress progress = new Progress(System.err);
        try {
            Optional<Policy> named = checked();
            if (spark != null) {
                return runOnSpark(progress);
            }
            Policy chosen = Memory.ofThisMachine().choose(named);
            long chosenSeed = seed == null ? new Random().nextInt(1_000_000) : seed;
            return run(new Quickstart.Options(file, chosen, chosenSeed), progress);
        } catch (CheckFailed | IOException e) {
            return fail(progress, e);
        } catch (ParameterException e) {
            throw e;
        } catch (RuntimeException e) {
            progress.fail();
            throw e;
        }
    }

    /** Refuses what no cluster can do, and returns the policy that was named. */
    private Optional<Policy> checked() throws IOException {
        try {
            if (spark == null) {
                requireFile();
                return Optional.ofNullable(policy).map(Policy::named);
            }
            spark.check();
            CheckFailed.require(
                    file.equals(MODULES) && policy == null && seed == null,
                    "FILE, --policy and --seed are for HDFS; leave them out with --spark");
            return Optional.empty();
        } catch (CheckFailed e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private void requireFile() throws IOException {
        CheckFailed.require(
                Files.isRegularFile(file) && Files.isReadable(file),
                "FILE must be a readable file, got %s: name another one",
                file);
        CheckFailed.require(
                Files.size(file) > 0, "FILE must have at least one byte, %s is empty: name another" + " one", file);
    }

    private int run(Quickstart.Options options, Progress progress) throws IOException {
        Directory directory = Directory.create();
        directory.receiveLogOfThisJvm();
        Cluster cluster = new Cluster(directory);
        try (Cleanup cleanup = Cleanup.of(cluster, directory, keep ? Keep.EVERYTHING : Keep.NOTHING)) {
            if (keep) {
                progress.say("keeping " + directory.path());
            }
            return run(new Quickstart(options, cluster, progress), directory, cleanup, progress);
        }
    }

    private int run(Quickstart quickstart, Directory directory, Cleanup cleanup, Progress progress) {
        try {
            directory.requireSpace(DISK_FACTOR * Files.size(file));
            Report report = quickstart.run();
            System.out.printf(Locale.ROOT, "%n%s", report);
            return 0;
        } catch (Exception e) {
            if (!cleanup.interrupted()) {
                cleanup.keepLogs();
                fail(progress, e);
                progress.say("logs: " + directory.logs());
            }
            return 1;
        }
    }

    private int runOnSpark(Progress progress) throws IOException {
        Memory.ofThisMachine().require("A Spark cluster of 3 workers", SPARK_BYTES);
        SparkQuickstart.requireTraining(spark);
        try (StandaloneCluster cluster = progress.step(
                        "start a Spark cluster with 3 workers", () -> StandaloneCluster.start(SPARK))
                .value()) {
            return runOn(cluster, progress);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("interrupted while the cluster starts", e);
        }
    }

    private int runOn(StandaloneCluster cluster, Progress progress) throws IOException {
        if (keep) {
            keepLogs(cluster, progress);
        }
        try {
            System.out.printf(Locale.ROOT, "%n%s", new SparkQuickstart(spark, cluster, progress).run());
            return 0;
        } catch (Exception e) {
            if (cluster.isEnding()) {
                return 1;
            }
            fail(progress, e);
            if (!keep) {
                keepLogs(cluster, progress);
            }
            return 1;
        }
    }

    private static void keepLogs(StandaloneCluster cluster, Progress progress) throws IOException {
        Path folder = Files.createTempDirectory("paritas-quickstart-");
        cluster.keepLogs(folder);
        progress.say("logs: " + folder);
    }

    private int fail(Progress progress, Exception e) {
        progress.fail();
        progress.say(
                "paritas quickstart: " + (e instanceof CheckFailed ? e.getMessage() : e + " (--verbose tells where)"));
        boolean verbose = spec.findOption("--verbose").getValue();
        if (verbose) {
            e.printStackTrace();
        }
        return 1;
    }
}
