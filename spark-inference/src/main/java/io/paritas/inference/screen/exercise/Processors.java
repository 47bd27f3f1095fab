/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The processors that Linux lets this JVM use, and threads that stay on one of them. */
public final class Processors {
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final long PATIENCE_SECONDS = 10;

    /** A number or two. No Linux has as many processors as five digits can count. */
    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

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
     * @throws IllegalArgumentException if it is none, a range ends before it begins, or a number has more than five digits
     */
    public static List<Integer> list(String text) {
        List<Integer> numbers = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher range = RANGE.matcher(part.strip());
            if (!range.matches()) {
                throw noList(text);
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (first > last) {
                throw noList(text);
            }
            IntStream.rangeClosed(first, last).forEach(numbers::add);
        }
        return numbers;
    }

    private static IllegalArgumentException noList(String text) {
        return new IllegalArgumentException("processors must be numbers and ranges such as 0-3,8; got '" + text + "'");
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
