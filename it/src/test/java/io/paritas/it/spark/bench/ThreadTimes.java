/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Processor time of a process' threads by what they do, from Linux's {@code /proc}. Threads that have ended are missing. */
final class ThreadTimes {
    /** Prefixes of names, of which Linux keeps 15 characters. */
    private static final Map<String, String> KINDS = Map.of(
            "Executor task", "tasks",
            "paritas-inferen", "engine",
            "paritas-screeni", "screening",
            "C1 CompilerThre", "compilers",
            "C2 CompilerThre", "compilers",
            "GC Thread", "collector",
            "G1 ", "collector",
            "VM Thread", "collector");

    private static final String OTHERS = "others";

    private ThreadTimes() {}

    /** Seconds of each kind of thread so far, summed over processes. */
    static Map<String, Double> of(List<Long> pids) throws IOException {
        Map<String, Double> seconds = new TreeMap<>();
        for (long pid : pids) {
            try (Stream<Path> threads = Files.list(Path.of("/proc", String.valueOf(pid), "task"))) {
                for (Path thread : threads.toList()) {
                    add(thread, seconds);
                }
            }
        }
        return seconds;
    }

    /** Seconds of each kind of thread since an earlier time. */
    static Map<String, Double> since(Map<String, Double> before, List<Long> pids) throws IOException {
        Map<String, Double> now = of(pids);
        before.forEach((kind, seconds) -> now.merge(kind, -seconds, Double::sum));
        return now;
    }

    private static void add(Path thread, Map<String, Double> seconds) {
        try {
            String name = Files.readString(thread.resolve("comm")).strip();
            String nanos = Files.readString(thread.resolve("schedstat")).split(" ", -1)[0];
            seconds.merge(kind(name), Long.parseLong(nanos) / 1e9, Double::sum);
        } catch (IOException e) {
            // the thread has ended meanwhile
        }
    }

    private static String kind(String name) {
        return KINDS.entrySet().stream()
                .filter(kind -> name.startsWith(kind.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(OTHERS);
    }
}
