/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A master or worker in a process of its own. */
final class SparkDaemon {
    private final String name;
    private final Process process;
    private final Path log;
    private final CompletableFuture<String> serving = new CompletableFuture<>();

    private SparkDaemon(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        Thread reader = new Thread(() -> serving.complete(firstLine()), "wait for " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts the process and returns at once. */
    static SparkDaemon start(String name, Installation installation, String role, String host, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(installation.daemon("-Xmx256m"));
        command.addAll(List.of(SparkDaemonMain.class.getName(), role, host));
        command.addAll(List.of(arguments));
        Path log = installation.log(name);
        ProcessBuilder builder = installation.process(command).redirectError(log.toFile());
        // Where it shows its pages: nowhere but on this machine.
        builder.environment().put("SPARK_LOCAL_IP", host);
        return new SparkDaemon(name, builder.start(), log);
    }

    private String firstLine() {
        try {
            BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
            return Optional.ofNullable(reader.readLine()).orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits until the daemon serves, and returns what it says then.
     *
     * @throws IllegalStateException if it ends instead, or takes longer
     */
    String awaitServing(Duration limit) throws InterruptedException {
        try {
            String line = serving.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (line.isEmpty()) {
                throw new IllegalStateException("The " + name + " ended while it started. See " + log);
            }
            return line;
        } catch (TimeoutException e) {
            throw new IllegalStateException("The " + name + " starts within " + limit.toSeconds()
                    + " s; it did not. Is the machine busy? See " + log);
        } catch (ExecutionException e) {
            throw new IllegalStateException("The " + name + " could not be heard. See " + log, e);
        }
    }

    /** The processes that it has started. */
    Stream<ProcessHandle> children() {
        return process.toHandle().children();
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    /** For example {@code worker-2}. */
    @Override
    public String toString() {
        return name;
    }
}
