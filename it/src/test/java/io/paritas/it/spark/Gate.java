/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.it.Await;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;

/**
 * Where tasks wait until the test lets them go on. Files tell, because all executors are on this machine.
 *
 * @param folder of its own
 * @param from the first partition that waits; those before go through
 * @param free how many tasks of each executor go through first, whatever their partition is
 */
record Gate(String folder, int from, int free) implements Serializable {
    private static final String OPEN = "open";

    static Gate in(Path folder, int from) throws IOException {
        return new Gate(Files.createTempDirectory(folder, "gate").toString(), from, 0);
    }

    /** Where tasks wait once so many have run on each executor. */
    static Gate afterEach(Path folder, int free) throws IOException {
        Gate gate = new Gate(Files.createTempDirectory(folder, "gate").toString(), 0, free);
        Files.createDirectory(gate.freed());
        return gate;
    }

    private Path freed() {
        return Path.of(folder + "-freed");
    }

    static Gate in(Path folder) throws IOException {
        return in(folder, 0);
    }

    /** Waits, in a task. */
    void pass() {
        if (TaskContext.getPartitionId() < from || isOpen()) {
            return;
        }
        try {
            if (isFree()) {
                return;
            }
            Files.createFile(Path.of(folder, SparkEnv.get().executorId() + "_" + UUID.randomUUID()));
            while (!isOpen()) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted at a gate", e);
        }
    }

    private boolean isFree() throws IOException {
        for (int task = 0; task < free; task++) {
            try {
                Files.createFile(freed().resolve(SparkEnv.get().executorId() + "_" + task));
                return true;
            } catch (FileAlreadyExistsException e) {
                continue;
            }
        }
        return false;
    }

    private boolean isOpen() {
        return Files.exists(Path.of(folder, OPEN));
    }

    /** Lets all tasks through, those to come as well. */
    void open() throws IOException {
        Files.createFile(Path.of(folder, OPEN));
    }

    /** The executors of the tasks that wait, or did before they were killed. */
    List<String> waiting() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals(OPEN))
                    .map(name -> name.substring(0, name.indexOf('_')))
                    .toList();
        }
    }

    void awaitWaiting(int tasks) throws Exception {
        Await.until(tasks + " tasks wait", () -> waiting().size() >= tasks, this::waiting);
    }

    /** Hands rows on, once it is open. */
    <T> MapPartitionsFunction<T, T> rows() {
        return new Rows<>(this);
    }

    private record Rows<T>(Gate gate) implements MapPartitionsFunction<T, T>, Serializable {
        @Override
        public Iterator<T> call(Iterator<T> rows) {
            gate.pass();
            return rows;
        }
    }
}
