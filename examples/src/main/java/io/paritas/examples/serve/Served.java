/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.serve;

import io.paritas.examples.spark.SparkHome;
import io.paritas.examples.spark.StandaloneCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The application that serves, in a process of its own: the driver. Its standard output says how far it is. */
final class Served {
    /* Classes that cannot be loaded here, without Spark. */
    private static final String MAIN_CLASS = "io.paritas.inference.serving.spark.Serve";
    private static final String LISTENS = "paritas listens on ";
    private static final String READY = "paritas is ready";

    private static final String JAR = "paritas-spark-inference";
    private static final int DRAIN_SECONDS = 15;

    private final StandaloneCluster cluster;
    private final Process driver;
    private final BufferedReader out;
    private String url = "";

    private Served(StandaloneCluster cluster, Process driver) {
        this.cluster = cluster;
        this.driver = driver;
        this.out = driver.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts it and returns at once. */
    static Served start(StandaloneCluster cluster, Map<String, String> settings) throws IOException {
        List<Path> jars = SparkHome.paritas();
        Path application = jars.stream()
                .filter(jar -> jar.getFileName().toString().startsWith(JAR))
                .findAny()
                .orElseThrow(() -> new IllegalStateException(
                        "the class path must have " + JAR + "*.jar, it has not: start this with bin/paritas"));
        Map<String, String> all = new LinkedHashMap<>(settings);
        // Executors are on this machine: nothing has to be sent to them.
        all.put("spark.jars", jars.stream().map(jar -> "local:" + jar).collect(Collectors.joining(",")));
        return new Served(cluster, cluster.submit(application, MAIN_CLASS, List.of(), all));
    }

    /**
     * Waits until all instances are ready.
     *
     * @throws IllegalStateException if it ends instead; the message has its reason
     */
    void awaitReady() throws IOException {
        for (String line = out.readLine(); !READY.equals(line); line = out.readLine()) {
            if (line == null) {
                throw new IllegalStateException("serving has ended: " + cluster.reason());
            }
            if (line.startsWith(LISTENS)) {
                url = line.substring(LISTENS.length());
            }
        }
    }

    String url() {
        return url;
    }

    /** Waits until it ends; returns its status. */
    int await() throws InterruptedException {
        return driver.waitFor();
    }

    /** Has it answer the queries that it has, and end. */
    void end() {
        driver.destroy();
        try {
            driver.waitFor(DRAIN_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
