/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An executor's process, for those who want it dead or slow.
 *
 * @param id as Spark calls the executor, for example {@code 0}
 * @param handle its process
 */
public record ExecutorProcess(String id, ProcessHandle handle) {
    private static final String MAIN_CLASS = "org.apache.spark.executor.CoarseGrainedExecutorBackend";

    /** The executor that a process is; empty if it is none. */
    static Optional<ExecutorProcess> of(ProcessHandle handle) {
        List<String> words = Arrays.asList(handle.info().arguments().orElse(new String[0]));
        int id = words.indexOf("--executor-id");
        return words.contains(MAIN_CLASS) && id >= 0
                ? Optional.of(new ExecutorProcess(words.get(id + 1), handle))
                : Optional.empty();
    }

    /** The executors of an application on this machine, as far as this user may see processes. */
    public static Stream<ExecutorProcess> ofApplication(String id) {
        return ProcessHandle.allProcesses()
                .filter(handle -> Arrays.asList(handle.info().arguments().orElse(new String[0]))
                        .contains(id))
                .flatMap(handle -> of(handle).stream());
    }

    public long pid() {
        return handle.pid();
    }

    /** Kills it, without a chance to say goodbye, and waits for its end. Also ends one that is frozen. */
    public void kill() {
        handle.destroyForcibly();
        handle.onExit().join();
    }

    /** Stops it as a hypervisor or a long collection would: it keeps its connections and answers nothing. */
    public void freeze() {
        signal("-STOP");
    }

    /** Lets it go on. */
    public void thaw() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            int status = new ProcessBuilder("kill", signal, String.valueOf(pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IllegalStateException("only a process that runs gets signals, executor " + id + " (process "
                        + pid() + ") does not get " + signal);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send " + signal + " to executor " + id + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while sending " + signal + " to executor " + id, e);
        }
    }
}
