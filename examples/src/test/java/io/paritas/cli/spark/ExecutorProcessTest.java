/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExecutorProcessTest {
    /** A program with more busy threads than processors. */
    public static final class Busy {
        private Busy() {}

        public static void main(String[] arguments) throws IOException {
            for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
                Thread thread = new Thread(() -> {
                    while (true) {
                        Thread.onSpinWait();
                    }
                });
                thread.setDaemon(true);
                thread.start();
            }
            System.out.println("busy");
            System.in.read();
        }
    }

    @Test
    void nothingOfAFrozenExecutorRuns() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/task")), "skipped: only Linux tells of threads");
        Process busy = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Busy.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(busy.inputReader().readLine()).isEqualTo("busy");
            ExecutorProcess executor = new ExecutorProcess("0", busy.toHandle());
            for (int i = 0; i < 50; i++) {
                executor.freeze();
                assertThat(states(executor.pid())).isEqualTo(Set.of("T (stopped)"));
                executor.thaw();
            }
        } finally {
            busy.destroyForcibly();
        }
    }

    private static Set<String> states(long process) throws IOException {
        Set<String> states = new TreeSet<>();
        try (Stream<Path> threads = Files.list(Path.of("/proc", String.valueOf(process), "task"))) {
            for (Path thread : threads.toList()) {
                Files.readAllLines(thread.resolve("status")).stream()
                        .filter(line -> line.startsWith("State:"))
                        .forEach(line ->
                                states.add(line.substring("State:".length()).strip()));
            }
        }
        return states;
    }
}
