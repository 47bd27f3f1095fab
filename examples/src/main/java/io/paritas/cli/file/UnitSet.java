/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitHeader;
import io.paritas.erasure.file.UnitsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The unit files of a directory, and the chosen group.
 *
 * @param directory of the files
 * @param group the chosen group
 * @param groups the usable files of each group found, by unit
 * @param damaged the unusable files, and why
 * @param cut which units those of them are whose header is intact, and whose length is wrong
 * @param temporary files without a name
 */
record UnitSet(
        Path directory,
        UnitGroup group,
        Map<UnitGroup, SortedMap<Integer, Path>> groups,
        SortedMap<Path, String> damaged,
        Map<Path, UnitHeader> cut,
        TemporaryFiles temporary) {

    /** The usable files of the group, by unit. */
    SortedMap<Integer, Path> files() {
        return groups.get(group);
    }

    /** The units that are unusable as a whole, and why. */
    SortedMap<Integer, String> lost() {
        SortedMap<Integer, String> lost = new TreeMap<>();
        for (int unit = 0; unit < group.code().n(); unit++) {
            if (!files().containsKey(unit)) {
                lost.put(unit, trouble(place(unit)));
            }
        }
        return lost;
    }

    /** The file, or link, that a unit has by its number. */
    Path place(int unit) {
        return directory.resolve(UnitGroup.fileName(unit));
    }

    private String trouble(Path expected) {
        return damaged.getOrDefault(expected, occupied(expected) ? "missing: " + other(expected) : "missing");
    }

    /** Returns a sentence for each file that is ignored. */
    Stream<String> strays() {
        Stream<String> foreign =
                usable().filter(file -> !files().containsValue(file)).map(this::other);
        Set<Path> places = lost().keySet().stream().map(this::place).collect(Collectors.toSet());
        Stream<String> broken = damaged.entrySet().stream()
                .filter(file -> !places.contains(file.getKey()))
                .map(file -> file.getKey().getFileName() + ": " + file.getValue());
        return Stream.concat(Stream.concat(foreign, broken), temporary.sentences());
    }

    private Stream<Path> usable() {
        return groups.values().stream().flatMap(files -> files.values().stream());
    }

    private boolean occupied(Path file) {
        return usable().anyMatch(file::equals);
    }

    private String other(Path file) {
        Map<Path, String> meanings = new HashMap<>();
        groups.forEach(
                (owner, files) -> files.forEach((unit, path) -> meanings.put(path, "unit " + unit + " of " + owner)));
        return file.getFileName() + " is " + meanings.get(file);
    }

    /**
     * Returns the file for a repaired unit: its damaged file, which may be behind a link to another disk, or a new one.
     *
     * @throws UnitsException if an intact unit of another number, or a unit of another file, has that name
     */
    Path repairTarget(int unit) throws IOException {
        if (files().containsKey(unit)) {
            return behindLinks(files().get(unit));
        }
        Path target = place(unit);
        if (occupied(target)) {
            throw new UnitsException("a repair must not overwrite an intact unit, the place of unit " + unit
                    + " is taken: " + other(target) + ": move it away or rename it");
        }
        UnitHeader taken = cut.get(target);
        if (taken != null && !taken.group().equals(group)) {
            throw new UnitsException("a repair must not overwrite a unit of another file, the place of unit " + unit
                    + " is taken: " + target.getFileName() + " is unit " + taken.unit() + " of " + taken.group() + ", "
                    + damaged.get(target) + ": move it away or rename it");
        }
        return behindLinks(target);
    }

    private static Path behindLinks(Path file) throws IOException {
        return Files.isSymbolicLink(file) && Files.isRegularFile(file) ? file.toRealPath() : file;
    }
}
