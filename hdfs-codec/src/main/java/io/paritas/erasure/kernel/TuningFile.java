/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The schedules that a {@link Tuner} found, in a small text file: one line each, such as
 *
 * <pre>
 * Intel(R) Xeon(R) Processor, 512-bit vectors, JDK 17.0.15+6 | 6 to 3 units, 72 bits | timesX=clamp … tile=3072
 * </pre>
 *
 * <p>A line serves programs of the same shape on the same machine and JDK; among several, the one whose matrix has about as
 * many set bits. Lines that make no sense are skipped with a warning, and a file that cannot be read is as good as none:
 * tuning never decides what is computed. Writers take turns by a lock file and replace the file as a whole.
 */
final class TuningFile {
    private static final String HEADER = "# Schedules measured by 'paritas tune': machine | program | schedule."
            + " Lines can be deleted; without them the defaults are used.";

    private static final Pattern LINE = Pattern.compile("([^|]+) \\| (\\d+) to (\\d+) units, (\\d+) bits \\| (.+)");

    private static final Object WRITING = new Object();
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private final Path path;

    TuningFile(Path path) {
        this.path = path;
    }

    /** The file that {@link KernelSettings#TUNING} names. */
    static TuningFile standard() {
        return new TuningFile(KernelSettings.TUNING.get());
    }

    /** What a schedule was measured for: a shape, and how many bits of the coefficients are set. */
    record Key(String machine, int inputs, int outputs, int bits) {
        static Key of(String machine, Program program) {
            int bits = 0;
            for (int[] row : program.coefficients()) {
                for (int coefficient : row) {
                    bits += Integer.bitCount(coefficient);
                }
            }
            return new Key(machine, program.inputs(), program.outputs(), bits);
        }

        private boolean hasShapeOf(Key other) {
            return machine.equals(other.machine) && inputs == other.inputs && outputs == other.outputs;
        }
    }

    private record Entry(Key key, Schedule schedule) {
        @Override
        public String toString() {
            return key.machine + " | " + key.inputs + " to " + key.outputs + " units, " + key.bits + " bits | "
                    + schedule;
        }
    }

    Path path() {
        return path;
    }

    /** The schedule for the program that is most like this one, if one was measured. */
    Optional<Schedule> find(Key key) {
        return read().stream()
                .filter(entry -> entry.key.hasShapeOf(key))
                .min(Comparator.comparingInt(entry -> Math.abs(entry.key.bits - key.bits)))
                .map(Entry::schedule);
    }

    /**
     * Adds a schedule, or replaces the one with the same key. Other entries stay, also those that other processes add at
     * the same time.
     */
    void put(Key key, Schedule schedule) throws IOException {
        Path folder = Objects.requireNonNull(path.toAbsolutePath().getParent());
        Files.createDirectories(folder);
        synchronized (WRITING) { // file locks are between processes
            try (FileChannel lock = FileChannel.open(
                    path.resolveSibling(path.getFileName() + ".lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE)) {
                lock.lock();
                List<Entry> entries = new ArrayList<>(read());
                entries.removeIf(entry -> entry.key.equals(key));
                entries.add(new Entry(key, schedule));
                replace(folder, entries);
            }
        }
    }

    private void replace(Path folder, List<Entry> entries) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(HEADER);
        entries.stream().map(Entry::toString).sorted().forEach(lines::add);
        Path temporary = Files.createTempFile(folder, "tuning", ".tmp");
        try {
            Files.write(temporary, lines);
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private List<Entry> read() {
        try {
            List<Entry> entries = new ArrayList<>();
            for (String line : Files.readAllLines(path)) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    parse(line).ifPresent(entries::add);
                }
            }
            return entries;
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (MalformedInputException e) {
            warn("is not a text file and is not used; delete it, or tune again");
            return List.of();
        } catch (IOException e) {
            warn("cannot be read and is not used: " + e);
            return List.of();
        }
    }

    private Optional<Entry> parse(String line) {
        Matcher fields = LINE.matcher(line);
        try {
            if (fields.matches()) {
                Key key = new Key(fields.group(1), number(fields, 2), number(fields, 3), number(fields, 4));
                return Optional.of(new Entry(key, Schedule.parse(fields.group(5))));
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        warn("has a line that is no schedule and is skipped: " + line);
        return Optional.empty();
    }

    private static int number(Matcher fields, int group) {
        return Integer.parseInt(fields.group(group));
    }

    /** Once per JVM and reason: the file is read for every kernel. */
    private void warn(String what) {
        if (WARNED.add(path + " " + what)) {
            System.getLogger(TuningFile.class.getName()).log(System.Logger.Level.WARNING, path + " " + what);
        }
    }
}
