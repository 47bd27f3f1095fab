/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A standalone Spark cluster on this machine: a master and workers as processes with loopback addresses of their own, which Spark
 * takes for different hosts. Linux has these addresses; on other systems add 127.0.0.2 and following. An application gets an executor
 * of each worker; one application runs at a time. When the cluster is closed or this JVM ends, all processes end and all files are
 * deleted; with {@code -Dparitas.spark.logs=FOLDER} the logs are copied there before. If this JVM is killed, the processes end, but
 * the files stay. Thread-safe.
 */
public final class StandaloneCluster implements AutoCloseable {
    /** Spark's setting of the driver's memory, such as {@code 4g}. */
    public static final String DRIVER_MEMORY = "spark.driver.memory";

    /** Spark's setting of the memory of each executor. */
    public static final String EXECUTOR_MEMORY = "spark.executor.memory";

    private static final int LEAST_MEGABYTES = 512;
    /** Enough for a handful of JVMs that start together on one busy core. */
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    /** The system property that names a folder for the logs of closed clusters; without it they are deleted. */
    private static final String LOGS = "paritas.spark.logs";

    private static final String FAILURE = "Exception in thread \"main\" ";
    private static final String CAUSE = "Caused by: ";
    /** Lines of a logger begin with the time: what follows a failure there is of something else. */
    private static final Pattern LOGGED = Pattern.compile("^\\d\\d:\\d\\d:\\d\\d");

    private static final Duration END_LIMIT = Duration.ofSeconds(30);
    private static final String DRIVER = "127.0.0.1";

    private final Size size;
    private final Installation installation;
    private final String masterUrl;
    /** The master, then the workers. */
    private final List<SparkDaemon> daemons = new ArrayList<>();

    private final List<Process> programs = new ArrayList<>();
    private final Thread hook = new Thread(this::endWithThisJvm, "end the Spark cluster");
    private Optional<Path> keptLogs =
            Optional.ofNullable(System.getProperty(LOGS)).map(Path::of);
    private Runnable beforeEnd = () -> {};
    private boolean closed;
    private volatile boolean ending;

    /**
     * The size of a cluster.
     *
     * @param workers 1 to 250
     * @param cores of each worker
     * @param megabytes heap of an executor, at least 512, of which Spark needs 450
     */
    public record Size(int workers, int cores, int megabytes) {
        /** The most workers: each has a loopback address of its own. */
        public static final int MOST_WORKERS = 250;

        /** Checks the numbers. */
        public Size {
            if (workers < 1 || workers > MOST_WORKERS || cores < 1 || megabytes < LEAST_MEGABYTES) {
                throw new IllegalArgumentException("a cluster needs 1 to " + MOST_WORKERS
                        + " workers, each with at least 1 core and 512 MB, got " + workers + " workers with "
                        + cores + " cores and " + megabytes + " MB");
            }
        }

        /**
         * Workers with a core each, and with the memory of an application's executors.
         *
         * @param settings of the application, which may name it, in megabytes or gigabytes ({@code 2g})
         */
        public static Size oneCoreEach(int workers, Map<String, String> settings) {
            String memory = settings.getOrDefault(EXECUTOR_MEMORY, LEAST_MEGABYTES + "m");
            int number = Integer.parseInt(memory.substring(0, memory.length() - 1));
            return new Size(workers, 1, Math.max(LEAST_MEGABYTES, memory.matches(".*[gG]") ? 1_024 * number : number));
        }
    }

    /** The driver's option: Spark itself reads its memory when the driver's JVM runs. */
    static String driverHeap(Map<String, String> settings) {
        return "-Xmx" + settings.getOrDefault(DRIVER_MEMORY, "1g");
    }

    private StandaloneCluster(Size size) throws IOException, InterruptedException {
        this.size = size;
        this.installation = Installation.create();
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            this.masterUrl = launch("master", "master", DRIVER).awaitServing(START_LIMIT);
            for (int i = 0; i < size.workers; i++) {
                startWorker(i);
            }
            for (SparkDaemon worker : workers()) {
                worker.awaitServing(START_LIMIT);
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            abandon();
            throw e;
        }
    }

    private synchronized SparkDaemon launch(String name, String role, String host, String... arguments)
            throws IOException {
        if (closed) {
            throw new IllegalStateException("no daemon can start in a closed cluster, got " + name);
        }
        SparkDaemon daemon = SparkDaemon.start(name, installation, role, host, arguments);
        daemons.add(daemon);
        return daemon;
    }

    /** Ends the processes of a cluster that did not start; the files stay. */
    private synchronized void abandon() {
        if (!closed) {
            closed = true;
            installation.home().processes().forEach(ProcessHandle::destroyForcibly);
        }
    }

    private synchronized List<SparkDaemon> workers() {
        return List.copyOf(daemons.subList(1, daemons.size()));
    }

    /**
     * Starts a cluster, and returns when all workers have registered.
     *
     * @throws IllegalStateException if a process does not start; the message names its log, and the files stay
     */
    public static StandaloneCluster start(Size size) throws IOException, InterruptedException {
        return new StandaloneCluster(size);
    }

    private void startWorker(int number) throws IOException {
        String name = "worker-" + number;
        launch(
                name,
                "worker",
                "127.0.0." + (number + 2),
                masterUrl,
                String.valueOf(size.cores),
                String.valueOf(size.megabytes),
                installation.work().resolve(name).toString());
    }

    /** The master's URL, for example {@code spark://127.0.0.1:40123}. */
    public String masterUrl() {
        return masterUrl;
    }

    /** Returns the settings of a driver in this JVM that uses this cluster, with the secret. */
    public Map<String, String> settings() {
        Map<String, String> settings = installation.settings();
        settings.put("spark.authenticate.secret", installation.secret());
        settings.put("spark.master", masterUrl);
        settings.put("spark.driver.host", DRIVER);
        settings.put("spark.driver.bindAddress", DRIVER);
        settings.put("spark.cores.max", String.valueOf(size.workers * size.cores));
        settings.put(EXECUTOR_MEMORY, size.megabytes + "m");
        settings.put("spark.executor.extraJavaOptions", Installation.LIGHT_JVM);
        settings.put("spark.ui.enabled", "false");
        settings.put("spark.sql.shuffle.partitions", String.valueOf(2 * size.workers));
        settings.put("spark.sql.warehouse.dir", installation.warehouse());
        return settings;
    }

    /**
     * Returns the setting of an application whose executors, and driver if it is submitted, have jars of this machine on their class path.
     * Of {@code spark.jars} each executor makes copies before its first task, which takes longer than its start.
     */
    public Map<String, String> withJars(List<Path> jars) throws IOException {
        return Map.of(Installation.JARS, installation.link(jars).resolve("*").toString());
    }

    /**
     * Runs a program as {@code spark-submit --jars JARS --class MAIN_CLASS APPLICATION ARGUMENTS} does, with the driver as
     * a process. The caller reads its standard output; its standard error is among the logs.
     *
     * @param settings of Spark, in addition to those of this cluster; {@code spark.driver.extraJavaOptions} replaces the light
     *     options of its JVM, and {@value #DRIVER_MEMORY} its heap of 1 GiB
     */
    public synchronized Process submit(
            Path application, String mainClass, List<Path> jars, Map<String, String> settings, String... arguments)
            throws IOException {
        // Readable by its owner only: the settings have the secret.
        Path propertiesFile = Files.createTempFile(installation.path(), "submit-", ".conf");
        Properties properties = new Properties();
        properties.putAll(settings());
        properties.putAll(settings);
        try (OutputStream out = Files.newOutputStream(propertiesFile)) {
            properties.store(out, null);
        }
        List<String> command = new ArrayList<>(installation.submit(driverHeap(settings), settings));
        command.addAll(List.of("org.apache.spark.deploy.SparkSubmit", "--properties-file", propertiesFile.toString()));
        if (!jars.isEmpty()) {
            command.addAll(List.of("--jars", jars.stream().map(Path::toString).collect(Collectors.joining(","))));
        }
        command.addAll(List.of("--class", mainClass, application.toString()));
        command.addAll(List.of(arguments));
        String name = propertiesFile.getFileName().toString();
        ProcessBuilder builder = installation
                .process(command)
                .redirectError(installation.log(name).toFile());
        builder.environment().put("SPARK_LOCAL_IP", DRIVER);
        Process program = builder.start();
        programs.add(program);
        return program;
    }

    /** Returns why a submitted program failed, from its log: the exception that ended it, and its root cause. */
    public String reason() throws IOException {
        try (Stream<Path> files = Files.list(folder().resolve("logs"))) {
            for (Path log : files.filter(file -> file.getFileName().toString().startsWith("submit-"))
                    .toList()) {
                try (BufferedReader lines =
                        new BufferedReader(new InputStreamReader(Files.newInputStream(log), StandardCharsets.UTF_8))) {
                    Optional<String> reason = reason(lines.lines());
                    if (reason.isPresent()) {
                        return reason.get();
                    }
                }
            }
        }
        return "its log says no reason";
    }

    /* Line by line: a log may be longer than memory. */
    static Optional<String> reason(Stream<String> log) {
        Iterator<String> lines =
                log.dropWhile(line -> !line.startsWith(FAILURE)).iterator();
        if (!lines.hasNext()) {
            return Optional.empty();
        }
        String failure = message(lines.next().substring(FAILURE.length()));
        String cause = "";
        while (lines.hasNext()) {
            String line = lines.next();
            if (LOGGED.matcher(line).find()) {
                break;
            }
            if (line.startsWith(CAUSE)) {
                cause = message(line.substring(CAUSE.length()));
            }
        }
        return Optional.of(failure.contains(cause) ? failure : failure + " (" + cause + ")");
    }

    private static String message(String exception) {
        return exception.replaceFirst("^[\\w.$]+: ", "");
    }

    /** Returns the executors of all applications, running or frozen. Executors that are starting may be missing. */
    public List<ExecutorProcess> executors() {
        return workers().stream()
                .flatMap(SparkDaemon::children)
                .flatMap(process -> ExecutorProcess.of(process).stream())
                .toList();
    }

    /**
     * Returns the executor with that id.
     *
     * @throws NoSuchElementException if none of that id runs
     */
    public ExecutorProcess executor(String id) {
        List<ExecutorProcess> all = executors();
        return all.stream()
                .filter(executor -> executor.id().equals(id))
                .findAny()
                .orElseThrow(() -> new NoSuchElementException("no executor " + id + " runs, only " + all));
    }

    /**
     * The folder of the processes' logs: those of executors below {@code work}, others in {@code logs}. Other files in it are
     * deleted with it.
     */
    public Path folder() {
        return installation.path();
    }

    /** Copies the logs into a new folder below this one before they are deleted. */
    public synchronized void keepLogs(Path folder) {
        keptLogs = Optional.of(folder);
    }

    /** Registers an action that runs before the processes are ended, also if this JVM is terminated. */
    public synchronized void beforeEnd(Runnable action) {
        beforeEnd = action;
    }

    /**
     * Ends all processes of this cluster, with executors and submitted programs, and deletes its files.
     *
     * @throws IllegalStateException if a process does not end
     */
    @Override
    public synchronized void close() {
        if (!closed && !ending) {
            Runtime.getRuntime().removeShutdownHook(hook);
            end();
        }
    }

    /** Whether this JVM ends, by a signal for example, and the cluster with it: that its programs end is no failure. */
    public boolean isEnding() {
        return ending;
    }

    private void endWithThisJvm() {
        ending = true;
        end();
    }

    private synchronized void end() {
        if (closed) {
            return;
        }
        closed = true;
        beforeEnd.run();
        // Executors after their workers, which would start new ones.
        List<ProcessHandle> children = Stream.concat(
                        daemons.stream().map(SparkDaemon::handle),
                        programs.stream().map(Process::toHandle))
                .toList();
        children.forEach(ProcessHandle::destroyForcibly);
        children.forEach(child -> child.onExit().join());
        long deadline = System.nanoTime() + END_LIMIT.toNanos();
        List<ProcessHandle> left = installation.home().processes();
        while (!left.isEmpty()) {
            left.forEach(ProcessHandle::destroyForcibly);
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "Killed processes end within " + END_LIMIT.toSeconds() + " s; these did not: "
                                + left.stream().map(ProcessHandle::pid).toList());
            }
            pause();
            left = installation.home().processes();
        }
        installation.delete(keptLogs);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while processes end", e);
        }
    }
}
