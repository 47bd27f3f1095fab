/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitHeader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@link PendingFiles} in a directory of units: of a program that was killed, or that still writes them.
 *
 * @param units those that are of use: as long as their header says, without another name there, by group and unit
 * @param others all others
 */
record TemporaryFiles(Map<UnitGroup, SortedMap<Integer, Path>> units, List<Path> others) {
    private static final Pattern NAME =
            Pattern.compile(".*" + Pattern.quote(UnitGroup.SUFFIX) + "\\.[0-9]+" + Pattern.quote(PendingFiles.SUFFIX));

    /**
     * @param named the units of the directory, by group
     * @param useful whether more units of a group may be of use
     */
    static TemporaryFiles in(
            Path directory, Map<UnitGroup, SortedMap<Integer, Path>> named, Predicate<UnitGroup> useful)
            throws IOException {
        TemporaryFiles files = new TemporaryFiles(new LinkedHashMap<>(), new ArrayList<>());
        for (Path file : files(directory)) {
            Optional<UnitHeader> unit = complete(file)
                    .filter(header -> useful.test(header.group()))
                    .filter(header ->
                            !named.getOrDefault(header.group(), new TreeMap<>()).containsKey(header.unit()));
            boolean first = unit.isPresent()
                    && files.units
                                    .computeIfAbsent(unit.get().group(), any -> new TreeMap<>())
                                    .putIfAbsent(unit.get().unit(), file)
                            == null;
            if (!first) {
                files.others.add(file);
            }
        }
        return files;
    }

    private static List<Path> files(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(
                directory,
                file -> NAME.matcher(file.getFileName().toString()).matches()
                        && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))) {
            stream.forEach(files::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return files.stream().sorted().toList();
    }

    /** The header of a file that is as long as it says. */
    private static Optional<UnitHeader> complete(Path file) {
        try (FileChannel channel = FileChannel.open(file)) {
            UnitHeader header = UnitHeader.read((position, target) -> Transfers.read(channel, position, target));
            return channel.size() == header.group().unitLength() ? Optional.of(header) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns a sentence for the units of each group, and one for the others. */
    Stream<String> sentences() {
        return others.isEmpty() ? sentencesOfUnits() : Stream.concat(sentencesOfUnits(), Stream.of(sentenceOfOthers()));
    }

    /** Returns a sentence for the units of each group. */
    Stream<String> sentencesOfUnits() {
        return units.entrySet().stream().map(TemporaryFiles::sentence);
    }

    private static String sentence(Map.Entry<UnitGroup, SortedMap<Integer, Path>> group) {
        SortedMap<Integer, Path> files = group.getValue();
        return "units " + files.keySet() + " of " + group.getKey()
                + " are complete under temporary names, as a program was killed before it renamed them,"
                + " or still writes them: "
                + files.get(files.firstKey()).getFileName() + " should be " + UnitGroup.fileName(files.firstKey());
    }

    private String sentenceOfOthers() {
        long bytes = others.stream().mapToLong(file -> file.toFile().length()).sum();
        return String.format(
                Locale.ROOT,
                "a program that was killed has left %d temporary files, %,d bytes, such as %s: delete them, unless a program"
                        + " still writes them",
                others.size(),
                bytes,
                others.get(0).getFileName());
    }
}
