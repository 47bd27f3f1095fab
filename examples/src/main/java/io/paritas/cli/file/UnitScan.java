/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.file.BadHeaderException;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitHeader;
import io.paritas.erasure.file.UnitsException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Reads the header of every unit file in a directory, and chooses a group. The header identifies a unit; the name of its file does
 * not count.
 */
final class UnitScan {
    private final Path directory;
    /** The usable files of each group, by unit. */
    private final Map<UnitGroup, SortedMap<Integer, Path>> groups = new LinkedHashMap<>();
    /** Why the other files are unusable. */
    private final SortedMap<Path, String> damaged = new TreeMap<>();
    /** Which units those of them are whose header is intact. */
    private final Map<Path, UnitHeader> cut = new HashMap<>();

    private TemporaryFiles temporary;

    private UnitScan(Path directory) {
        this.directory = directory;
    }

    /**
     * Returns the units in a directory. Of several groups it chooses the largest, if that is the only one with enough units to be
     * decoded.
     *
     * @throws UnitsException if there is no group, or the choice is ambiguous
     */
    static UnitSet scan(Path directory) throws IOException {
        UnitScan scan = new UnitScan(directory);
        for (Path file : unitFiles(directory)) {
            scan.add(file);
        }
        scan.temporary = TemporaryFiles.in(directory, scan.groups, scan::lacksUnits);
        return new UnitSet(directory, scan.chosen(), scan.groups, scan.damaged, scan.cut, scan.temporary);
    }

    /** Returns the files with names of units, sorted. */
    static List<Path> unitFiles(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, "*" + UnitGroup.SUFFIX)) {
            stream.forEach(files::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        files.sort(Comparator.naturalOrder());
        return files;
    }

    private void add(Path file) throws UnitsException {
        if (!Files.isRegularFile(file)) {
            damaged.put(file, "not a regular file");
            return;
        }
        UnitHeader header;
        long length;
        try (FileChannel channel = FileChannel.open(file)) {
            header = UnitHeader.read((position, target) -> Transfers.read(channel, position, target));
            length = channel.size();
        } catch (UnitsException e) {
            throw new UnitsException(file + ": " + e.getMessage());
        } catch (BadHeaderException e) {
            damaged.put(file, "header damaged: " + e.getMessage());
            return;
        } catch (IOException e) {
            damaged.put(file, unreadable(e));
            return;
        }
        add(file, header, length);
    }

    static String unreadable(IOException e) {
        return e instanceof AccessDeniedException
                ? "permission denied"
                : "cannot be read: " + (e.getMessage() == null ? e : e.getMessage());
    }

    private void add(Path file, UnitHeader header, long length) throws UnitsException {
        UnitGroup group = header.group();
        if (length != group.unitLength()) {
            damaged.put(file, "wrong length: " + length + " of " + group.unitLength() + " bytes");
            cut.put(file, header);
            return;
        }
        Path twin = groups.computeIfAbsent(group, any -> new TreeMap<>()).putIfAbsent(header.unit(), file);
        if (twin != null) {
            throw new UnitsException("Each unit exists once in a directory; " + twin.getFileName() + " and "
                    + file.getFileName() + " in " + directory + " are both unit " + header.unit() + " of " + group
                    + ". Move one of them away");
        }
    }

    private UnitGroup chosen() throws UnitsException {
        if (groups.size() == 1) {
            return groups.keySet().iterator().next();
        }
        List<UnitGroup> decodable =
                groups.keySet().stream().filter(this::decodable).toList();
        if (decodable.size() != 1 || !largest(decodable.get(0))) {
            throw unclear();
        }
        return decodable.get(0);
    }

    /** Whether more units of a group may be of use: some are here, or nothing can be decoded without them. */
    private boolean lacksUnits(UnitGroup group) {
        return groups.containsKey(group) || groups.keySet().stream().noneMatch(this::decodable);
    }

    private boolean decodable(UnitGroup group) {
        Erasures missing = Erasures.of(IntStream.range(0, group.code().n())
                .filter(unit -> !groups.get(group).containsKey(unit))
                .toArray());
        return missing.size() == 0 || group.code().systematicCode().canReconstruct(missing);
    }

    private boolean largest(UnitGroup group) {
        return groups.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(group))
                .allMatch(entry -> entry.getValue().size() < groups.get(group).size());
    }

    private UnitsException unclear() {
        String rule = groups.isEmpty()
                ? "no usable unit file (*" + UnitGroup.SUFFIX + ") is in " + directory
                : "a directory must have the units of one encode, or enough units of exactly one, in " + directory
                        + " are";
        return new UnitsException(rule + found().collect(Collectors.joining()) + advice());
    }

    private String advice() {
        String move = groups.isEmpty() ? "" : ": move the units away that do not belong here";
        if (temporary.units().isEmpty()) {
            return move;
        }
        return (move.isEmpty() ? ": rename them" : move + ", and rename those that do") + ", or encode again";
    }

    private Stream<String> found() {
        Stream<String> named = Stream.concat(
                groups.entrySet().stream()
                        .map(entry -> "\n  units " + entry.getValue().keySet() + " of " + entry.getKey()),
                damaged.entrySet().stream()
                        .map(entry -> "\n  " + entry.getKey().getFileName() + ": " + entry.getValue()));
        return Stream.concat(named, temporary.sentences().map("\n  "::concat));
    }
}
