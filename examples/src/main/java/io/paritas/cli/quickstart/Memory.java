/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The memory available to new processes.
 *
 * @param available bytes; empty if unknown
 */
record Memory(OptionalLong available) {
    /** The memory of a daemon, measured, with its heap full. */
    private static final long PER_DAEMON = 256L << 20;
    /** The memory of this program. */
    private static final long FOR_CLIENT = 384L << 20;

    private static final String CGROUP = "sys/fs/cgroup";

    /** Returns the memory by the kernel and the control groups of this process. */
    static Memory ofThisMachine() {
        return under(Path.of("/"));
    }

    /** Returns the memory by the files below a root directory: the least that the machine and each control group have left. */
    static Memory under(Path root) {
        return new Memory(Stream.of(
                        kilobytes(root.resolve("proc/meminfo"), "MemAvailable:"),
                        left(root.resolve(CGROUP), "memory.max", "memory.current", "inactive_file"),
                        left(
                                root.resolve(CGROUP + "/memory"),
                                "memory.limit_in_bytes",
                                "memory.usage_in_bytes",
                                "total_inactive_file"))
                .flatMapToLong(OptionalLong::stream)
                .min());
    }

    /** Returns the memory of the NameNode, a DataNode for each unit, and this program. */
    static long needed(Policy policy) {
        return (1 + policy.code().n()) * PER_DAEMON + FOR_CLIENT;
    }

    /**
     * Returns the requested policy; by default RS-6-3, or RS-3-2 where memory is short.
     *
     * @throws CheckFailed if there is too little memory
     */
    Policy choose(Optional<Policy> requested) {
        List<Policy> candidates = requested.map(List::of).orElse(List.of(Policy.RS_6_3, Policy.RS_3_2));
        return candidates.stream().filter(this::suffices).findFirst().orElseThrow(() -> tooLittle(candidates));
    }

    /**
     * Fails if less memory than this is known to be left.
     *
     * @param what needs it
     */
    void require(String what, long bytes) {
        CheckFailed.require(
                available.orElse(Long.MAX_VALUE) >= bytes,
                "%s takes %d MiB of memory; %d MiB are available. Stop other programs or raise the memory limit",
                what,
                bytes >> 20,
                available.orElse(0) >> 20);
    }

    private boolean suffices(Policy policy) {
        return available.isEmpty() || available.getAsLong() >= needed(policy);
    }

    private CheckFailed tooLittle(List<Policy> candidates) {
        Policy smallest = candidates.get(candidates.size() - 1);
        return new CheckFailed(String.format(
                Locale.ROOT,
                "%s takes %d processes and %d MiB of memory; %d MiB are available. Stop other programs or raise the"
                        + " memory limit%s",
                smallest,
                1 + smallest.code().n(),
                needed(smallest) >> 20,
                available.orElse(0) >> 20,
                smallest == Policy.RS_3_2 ? "" : ", or take a smaller one: --policy " + Policy.RS_3_2));
    }

    /** Returns what a control group may still use. Droppable pages of files do not count as used. */
    private static OptionalLong left(Path group, String limitFile, String usageFile, String droppable) {
        OptionalLong limit = number(group.resolve(limitFile));
        OptionalLong usage = number(group.resolve(usageFile));
        if (limit.isEmpty() || usage.isEmpty()) {
            return OptionalLong.empty();
        }
        long cache = field(group.resolve("memory.stat"), droppable).orElse(0);
        return OptionalLong.of(Math.max(0, limit.getAsLong() - usage.getAsLong() + cache));
    }

    private static OptionalLong kilobytes(Path file, String field) {
        OptionalLong value = field(file, field);
        return value.isPresent() ? OptionalLong.of(value.getAsLong() << 10) : value;
    }

    /** Returns the number after a word at the start of a line. */
    private static OptionalLong field(Path file, String field) {
        return lines(file)
                .map(line -> line.trim().split("\\s+", 3))
                .filter(words -> words.length > 1 && words[0].equals(field))
                .flatMapToLong(words -> LongStream.of(Long.parseLong(words[1])))
                .findFirst();
    }

    /** Returns the number in a file; empty for "max" and for a missing file. */
    private static OptionalLong number(Path file) {
        return lines(file)
                .filter(line -> line.matches("\\d+"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException notThere) {
            return Stream.empty();
        }
    }
}
