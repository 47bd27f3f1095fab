/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An executor's process, to be killed or frozen on purpose.
 *
 * @param id Spark's id of the executor, for example {@code 0}
 * @param handle its process
 */
public record ExecutorProcess(String id, ProcessHandle handle) {
    /** States of threads in Linux: running, and asleep until something happens. */
    private static final String RUNNING = "RSD";

    private static final String MAIN_CLASS = "org.apache.spark.executor.CoarseGrainedExecutorBackend";

    /** Returns the executor of a process; empty if the process is not an executor. */
    static Optional<ExecutorProcess> of(ProcessHandle handle) {
        List<String> words = Arrays.asList(handle.info().arguments().orElse(new String[0]));
        int id = words.indexOf("--executor-id");
        return words.contains(MAIN_CLASS) && id >= 0
                ? Optional.of(new ExecutorProcess(words.get(id + 1), handle))
                : Optional.empty();
    }

    /** Returns the executors of an application on this machine, as far as this user can see processes. */
    public static Stream<ExecutorProcess> ofApplication(String id) {
        return ProcessHandle.allProcesses()
                .filter(handle -> Arrays.asList(handle.info().arguments().orElse(new String[0]))
                        .contains(id))
                .flatMap(handle -> of(handle).stream());
    }

    public long pid() {
        return handle.pid();
    }

    /** Kills it with SIGKILL, even if it is frozen, and waits for its end. */
    public void kill() {
        handle.destroyForcibly();
        handle.onExit().join();
    }

    /**
     * Stops it, as a hypervisor or a long garbage collection would: it keeps its connections, but does not answer. Returns when all
     * its threads have stopped, if Linux tells: on a busy machine some run on for milliseconds.
     */
    public void freeze() {
        if (!signal("-STOP")) {
            throw new IllegalStateException("a process must run to get signals, executor " + id + " (process " + pid()
                    + ") does not get -STOP");
        }
        try {
            while (runs()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while executor " + id + " stops", e);
        }
    }

    private boolean runs() {
        try (Stream<Path> threads = Files.list(Path.of("/proc", String.valueOf(pid()), "task"))) {
            return threads.anyMatch(ExecutorProcess::runs);
        } catch (IOException | UncheckedIOException e) {
            return false; // another system, or the process has ended
        }
    }

    /** Whether Linux says that a thread runs, or would, if there were a processor for it. */
    private static boolean runs(Path thread) {
        try {
            String words = Files.readString(thread.resolve("stat"));
            return RUNNING.indexOf(words.charAt(words.lastIndexOf(')') + 2)) >= 0;
        } catch (IOException e) {
            return true; // it has just ended, so others may run
        }
    }

    /** Continues a frozen one. It may have ended. */
    public void thaw() {
        signal("-CONT");
    }

    /** Returns whether the process got it. */
    private boolean signal(String signal) {
        try {
            return new ProcessBuilder("kill", signal, String.valueOf(pid()))
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send " + signal + " to executor " + id + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while sending " + signal + " to executor " + id, e);
        }
    }
}
