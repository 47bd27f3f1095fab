/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import io.paritas.cli.daemon.ServingLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A master or worker as a process. */
final class SparkDaemon {
    private final String name;
    private final Process process;
    private final Path log;
    private final CompletableFuture<String> serving = new CompletableFuture<>();

    private SparkDaemon(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        Thread reader = new Thread(this::read, "output of " + name);
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
        // Its web pages are for this machine only.
        builder.environment().put("SPARK_LOCAL_IP", host);
        return new SparkDaemon(name, builder.start(), log);
    }

    /** One line says that it serves. Whatever follows must have a reader too, or a JVM stops that prints its threads. */
    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            serving.complete(ServingLine.await(reader));
            reader.transferTo(Writer.nullWriter());
        } catch (IOException e) {
            serving.completeExceptionally(e); // or it has been ended
        }
    }

    /**
     * Waits until the daemon serves, and returns the URL that it prints then.
     *
     * @throws IllegalStateException if it ends instead, or takes longer
     */
    String awaitServing(Duration limit) throws InterruptedException {
        try {
            String url = serving.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (url.isEmpty()) {
                throw new IllegalStateException("the " + name + " ended while it started: see " + log);
            }
            return url;
        } catch (TimeoutException e) {
            throw new IllegalStateException("the " + name + " must start within " + limit.toSeconds()
                    + " s, it did not: see whether the machine is busy, and " + log);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the " + name + " could not be read from: see " + log, e);
        }
    }

    /** The processes that it started. */
    Stream<ProcessHandle> children() {
        return process.toHandle().children();
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    /** The name, for example {@code worker-2}. */
    @Override
    public String toString() {
        return name;
    }
}
