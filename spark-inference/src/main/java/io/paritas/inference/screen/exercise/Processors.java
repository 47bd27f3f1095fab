/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The processors that Linux lets this JVM use, and threads that stay on one of them. */
public final class Processors {
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final long PATIENCE_SECONDS = 10;

    private Processors() {}

    /** Their numbers; elsewhere than on Linux, the numbers from 0. */
    public static List<Integer> allowed() {
        try {
            return list(status(Path.of("/proc/self/status")));
        } catch (IOException e) {
            return IntStream.range(0, Runtime.getRuntime().availableProcessors())
                    .boxed()
                    .toList();
        }
    }

    private static String status(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(ALLOWED))
                .map(line -> line.substring(ALLOWED.length()).strip())
                .findFirst()
                .orElseThrow(() -> new IOException(file + " has no line " + ALLOWED));
    }

    /**
     * Reads a list such as {@code 0-3,8}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static List<Integer> list(String text) {
        List<Integer> numbers = new ArrayList<>();
        try {
            for (String part : text.split(",", -1)) {
                String[] ends = part.strip().split("-", -1);
                int last = Integer.parseInt(ends[ends.length - 1]);
                for (int number = Integer.parseInt(ends[0]); number <= last; number++) {
                    numbers.add(number);
                }
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "processors must be numbers and ranges such as 0-3,8; got '" + text + "'");
        }
        return numbers;
    }

    /** Keeps the calling thread on a processor from now on, with the program taskset; returns whether it is there. */
    static boolean pin(int processor) throws InterruptedException {
        try {
            Path self = Files.readSymbolicLink(Path.of("/proc/thread-self")); // PID/task/TID
            String list = Integer.toString(processor);
            Process taskset = new ProcessBuilder(
                            "taskset", "-p", "-c", list, self.getFileName().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!taskset.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                taskset.destroyForcibly();
            }
            return status(Path.of("/proc/thread-self/status")).equals(list);
        } catch (IOException e) {
            return false; // no Linux, or no taskset
        }
    }
}
