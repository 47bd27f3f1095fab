/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.serve;

import io.paritas.cli.spark.SparkHome;
import io.paritas.cli.spark.StandaloneCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The serving application's driver, as a process that reports its progress on standard output. */
final class ServingApplication {
    /* Classes that cannot be loaded here, without Spark. */
    private static final String MAIN_CLASS = "io.paritas.inference.serving.spark.Serve";
    private static final String UNTIL_END_OF_INPUT = "--until-end-of-input";
    private static final String LISTENS = "paritas listens on ";
    private static final String LISTENS_FOR_GRPC = "paritas listens for gRPC on ";
    private static final String READY = "paritas is ready";

    /** What is logged as a warning or worse comes on standard output, too. */
    private static final String WARNINGS = "-Dparitas.console=warn";

    private static final String JVM = "-XX:+UseG1GC -XX:MaxGCPauseMillis=5 -XX:-UsePerfData";
    /** The module, or the one jar of a distribution. */
    private static final String JAR = "paritas-spark(-inference)?_.*";

    /* Above it, a status tells the signal that has ended a process. */
    private static final int SIGNALS = 128;

    /* Longer than the hooks of a driver take at the most: its queries are answered until then. */
    private static final int END_SECONDS = 35;

    private final StandaloneCluster cluster;
    private final Process driver;
    private final BufferedReader out;
    private String url = "";
    private String grpc = "";

    ServingApplication(StandaloneCluster cluster, Process driver) {
        this.cluster = cluster;
        this.driver = driver;
        this.out = driver.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts the process and returns at once. */
    static ServingApplication start(StandaloneCluster cluster, Map<String, String> settings) throws IOException {
        List<Path> jars = SparkHome.withGpu();
        Path application = jars.stream()
                .filter(jar -> jar.getFileName().toString().matches(JAR))
                .findAny()
                .orElseThrow(
                        () -> new IllegalStateException(
                                "the class path must have the jar of Paritas for Spark, it has not: start this with bin/paritas"));
        Map<String, String> all = withJvm(settings);
        all.putAll(cluster.withJars(jars));
        return new ServingApplication(
                cluster, cluster.submit(application, MAIN_CLASS, List.of(), all, UNTIL_END_OF_INPUT));
    }

    /**
     * Returns the settings with the JVM's options for long runs, unless they have others: compiled well, and with short pauses, which
     * are in the latency of every query that meets one.
     */
    static Map<String, String> withJvm(Map<String, String> settings) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.merge("spark.driver.extraJavaOptions", JVM + " " + WARNINGS, (given, ours) -> given + " " + WARNINGS);
        all.putIfAbsent("spark.executor.extraJavaOptions", JVM);
        return all;
    }

    /**
     * Waits until all instances are ready.
     *
     * @param tell is told where it listens, before they are
     * @throws IllegalStateException if it ends instead; the message has its reason
     */
    void awaitReady(Consumer<String> tell) throws IOException, InterruptedException {
        for (String line = out.readLine(); !READY.equals(line); line = out.readLine()) {
            if (line == null) {
                throw new IllegalStateException("serving has ended: " + reason());
            }
            if (line.startsWith(LISTENS)) {
                url = line.substring(LISTENS.length());
                tell.accept("it listens on " + url + ", and waits for its instances ...");
            } else if (line.startsWith(LISTENS_FOR_GRPC)) {
                grpc = line.substring(LISTENS_FOR_GRPC.length());
            } else {
                System.err.println(line);
            }
        }
        Thread rest = new Thread(this::passOn, "output of serving");
        rest.setDaemon(true);
        rest.start();
    }

    /** Warnings, and whatever else it prints later, such as its threads after SIGQUIT: a JVM stops whose output nobody reads. */
    private void passOn() {
        try {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                System.err.println(line);
            }
        } catch (IOException e) { // it has been ended
        }
    }

    String url() {
        return url;
    }

    /** The target of gRPC; empty if it is not served. */
    String grpc() {
        return grpc;
    }

    /** Waits for its end; returns why it has ended. */
    String reason() throws IOException, InterruptedException {
        int status = driver.waitFor();
        return status > SIGNALS ? "its process got signal " + (status - SIGNALS) : cluster.reason();
    }

    /** Waits for its end; returns its status. */
    int await() throws InterruptedException {
        return driver.waitFor();
    }

    /** Ends it after it has answered its queries. */
    void end() {
        driver.destroy();
        try {
            driver.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
