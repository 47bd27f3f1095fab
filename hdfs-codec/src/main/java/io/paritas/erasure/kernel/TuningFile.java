/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The schedules that a {@link Tuner} found, in a small text file: one line each, such as
 *
 * <pre>
 * Intel(R) Xeon(R) Processor, 512-bit vectors, JDK 17.0.15+6 | 6 to 3 units, 72 bits | timesX=clamp … tile=3072
 * </pre>
 *
 * <p>A line serves products of the same shape on the same machine and JDK; among several, the one whose matrix has about as
 * many set bits. Lines that make no sense are skipped with a warning, and a file that cannot be read is as good as none:
 * tuning never decides what is computed. Writers take turns by a lock file and replace the file as a whole.
 */
public final class TuningFile {
    private static final String HEADER = "# Schedules measured by 'paritas tune': machine | program | schedule."
            + " Lines can be deleted; without them the defaults are used.";

    private static final Pattern LINE =
            Pattern.compile("([^|]+) \\| (\\d+) to (\\d+) (units|strips), (\\d+) bits \\| (.+)");

    private static final String SKIPPED = "has a line that is no schedule and is skipped: ";

    private static final Object WRITING = new Object();
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private final Path path;

    TuningFile(Path path) {
        this.path = path;
    }

    /**
     * The file that {@link KernelSettings#TUNING} names. None, with a warning, if this JVM's locale cannot spell its path, or it is in the
     * home of a user who has none.
     */
    public static Optional<TuningFile> standard() {
        try {
            return Optional.of(new TuningFile(KernelSettings.TUNING.get()));
        } catch (IllegalArgumentException e) {
            warnOnce("no schedules of 'paritas tune' are used: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** What a product combines. */
    public enum Part {
        /** Whole units, in a field of bytes. */
        UNITS,
        /** Strips of units, by xors. */
        STRIPS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What a schedule was measured for.
     *
     * @param machine CPU, vectors and JDK
     * @param inputs number of parts that are read
     * @param outputs number of parts that are made
     * @param bits bits of the coefficients that are set
     */
    public record Key(String machine, int inputs, int outputs, Part part, int bits) {
        /** A product on this machine. */
        public static Key here(int inputs, int outputs, Part part, int bits) {
            return new Key(thisMachine(), inputs, outputs, part, bits);
        }

        private boolean hasShapeOf(Key other) {
            return machine.equals(other.machine)
                    && inputs == other.inputs
                    && outputs == other.outputs
                    && part == other.part;
        }

        @Override
        public String toString() {
            return machine + " | " + inputs + " to " + outputs + " " + part + ", " + bits + " bits";
        }
    }

    /** This CPU, its vectors and this JDK: a schedule holds for them only. */
    static String thisMachine() {
        return Processor.MODEL.replace('|', ' ') + ", " + VectorKernel.bits() + "-bit vectors, JDK "
                + Runtime.version();
    }

    private record Entry(Key key, String schedule) {
        @Override
        public String toString() {
            return key + " | " + schedule;
        }
    }

    Path path() {
        return path;
    }

    /**
     * The schedule for the product that is most like this one, if one was measured.
     *
     * @param parse reads a schedule; throws IllegalArgumentException if the text is none
     */
    public <S> Optional<S> find(Key key, Function<String, S> parse) {
        return read().stream()
                .filter(entry -> entry.key.hasShapeOf(key))
                .sorted(Comparator.comparingInt(entry -> Math.abs(entry.key.bits - key.bits)))
                .flatMap(entry -> parsed(entry, parse).stream())
                .findFirst();
    }

    private <S> Optional<S> parsed(Entry entry, Function<String, S> parse) {
        try {
            return Optional.of(parse.apply(entry.schedule));
        } catch (IllegalArgumentException e) {
            warn(SKIPPED + entry);
            return Optional.empty();
        }
    }

    /**
     * The fields of a schedule's text, such as {@code vectors=1 tile=3072}.
     *
     * @throws IllegalArgumentException if one of these names is missing
     */
    public static Map<String, String> fields(String text, String... names) {
        Map<String, String> fields = Arrays.stream(text.trim().split(" +", -1))
                .map(field -> field.split("=", 2))
                .filter(field -> field.length == 2)
                .collect(Collectors.toMap(field -> field[0], field -> field[1], (first, second) -> first));
        if (!fields.keySet().containsAll(List.of(names))) {
            throw new IllegalArgumentException(
                    "a schedule must have the fields " + String.join(", ", names) + ", got '" + text + "'");
        }
        return fields;
    }

    /**
     * Adds a schedule, or replaces the one with the same key. Other entries stay, also those that other processes add at
     * the same time.
     */
    void put(Key key, String schedule) throws IOException {
        synchronized (WRITING) { // file locks are between processes
            try (FileChannel lock = openLock()) {
                lock.lock();
                List<Entry> entries = new ArrayList<>(read());
                entries.removeIf(entry -> entry.key.equals(key));
                entries.add(new Entry(key, schedule));
                replace(entries);
            }
        }
    }

    /** Makes the folder, and fails if nothing can be written there: whoever measures for minutes wants to know before. */
    void prepare() throws IOException {
        if (Files.isDirectory(path)) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "the file for schedules must not be a folder: name another one with -D"
                            + KernelSettings.TUNING.key());
        }
        openLock().close();
    }

    private FileChannel openLock() throws IOException {
        Path folder = Objects.requireNonNull(path.toAbsolutePath().getParent());
        if (!Files.isDirectory(folder)) { // a link to one is none for createDirectories
            Files.createDirectories(folder);
        }
        return FileChannel.open(
                path.resolveSibling(path.getFileName() + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** The lock is held. Others may read the file, as the umask says: daemons run as users of their own. */
    private void replace(List<Entry> entries) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(HEADER);
        entries.stream().map(Entry::toString).sorted().forEach(lines::add);
        Path temporary = path.resolveSibling(path.getFileName() + ".paritas-tmp");
        Files.deleteIfExists(temporary); // of a process that was killed
        try {
            Files.write(temporary, lines, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
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
                Key key = new Key(
                        fields.group(1),
                        number(fields, 2),
                        number(fields, 3),
                        Part.valueOf(fields.group(4).toUpperCase(Locale.ROOT)),
                        number(fields, 5));
                return Optional.of(new Entry(key, fields.group(6)));
            }
        } catch (NumberFormatException e) {
            // said below
        }
        warn(SKIPPED + line);
        return Optional.empty();
    }

    private static int number(Matcher fields, int group) {
        return Integer.parseInt(fields.group(group));
    }

    /** Once per JVM and reason: the file is read for every kernel. */
    private void warn(String what) {
        warnOnce(path + " " + what);
    }

    private static void warnOnce(String sentence) {
        if (WARNED.add(sentence)) {
            System.getLogger(TuningFile.class.getName()).log(System.Logger.Level.WARNING, sentence);
        }
    }
}
