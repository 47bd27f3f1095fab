/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The unit files of a directory, and the group that is meant.
 *
 * @param directory where they are
 * @param group the group that is meant
 * @param groups the usable files of each group found, by unit
 * @param damaged the files that are not usable, and why
 */
record UnitSet(
        Path directory,
        UnitGroup group,
        Map<UnitGroup, SortedMap<Integer, Path>> groups,
        SortedMap<Path, String> damaged) {

    /** The usable files of the group, by unit. */
    SortedMap<Integer, Path> files() {
        return groups.get(group);
    }

    /** The units that are not usable as a whole, and why. */
    SortedMap<Integer, String> lost() {
        SortedMap<Integer, String> lost = new TreeMap<>();
        for (int unit = 0; unit < group.code().n(); unit++) {
            if (!files().containsKey(unit)) {
                lost.put(unit, trouble(directory.resolve(UnitGroup.fileName(unit))));
            }
        }
        return lost;
    }

    private String trouble(Path expected) {
        return damaged.getOrDefault(expected, occupied(expected) ? "missing: " + other(expected) : "missing");
    }

    /** Files that play no part: one sentence for each. */
    Stream<String> strays() {
        Stream<String> foreign =
                usable().filter(file -> !files().containsValue(file)).map(this::other);
        Set<Path> places = lost().keySet().stream()
                .map(unit -> directory.resolve(UnitGroup.fileName(unit)))
                .collect(Collectors.toSet());
        Stream<String> broken = damaged.entrySet().stream()
                .filter(file -> !places.contains(file.getKey()))
                .map(file -> file.getKey().getFileName() + ": " + file.getValue());
        return Stream.concat(foreign, broken);
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
     * Where a repaired unit is written: over its damaged file, or where it is missing.
     *
     * @throws UnitsException if an intact unit is there that is another one
     */
    Path repairTarget(int unit) throws IOException {
        if (files().containsKey(unit)) {
            return files().get(unit);
        }
        Path target = directory.resolve(UnitGroup.fileName(unit));
        if (occupied(target)) {
            throw new UnitsException("A repair overwrites no intact unit; the place of unit " + unit + " is taken: "
                    + other(target) + ". Move it away, or give it another name");
        }
        return target;
    }
}
