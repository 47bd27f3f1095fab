/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.file.UnitGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the format says about the files of a directory. */
final class Outlook {
    private final Path directory;
    private final Map<Encoded, Map<Integer, Path>> found = new HashMap<>();
    private boolean twins;
    private final Set<Integer> troubled = new TreeSet<>();
    private boolean hopeful = true;

    private Outlook(Path directory) {
        this.directory = directory;
    }

    static Outlook of(Path directory, Encoded... encodes) throws IOException {
        Outlook outlook = new Outlook(directory);
        for (Path file : UnitScan.unitFiles(directory)) {
            for (Encoded encode : encodes) {
                outlook.add(file, encode);
            }
        }
        if (outlook.chosen().isPresent()) {
            outlook.read(outlook.chosen().get());
        }
        return outlook;
    }

    private void add(Path file, Encoded encode) throws IOException {
        if (Files.isRegularFile(file)) {
            encode.unit(Files.readAllBytes(file))
                    .map(unit -> found.computeIfAbsent(encode, any -> new TreeMap<>())
                            .put(unit, file))
                    .ifPresent(twin -> twins = true);
        }
    }

    private void read(Encoded chosen) throws IOException {
        Map<Integer, Path> files = found.get(chosen);
        Set<Integer> lost = lost(chosen);
        troubled.addAll(lost);
        for (long stripe = 0; stripe < chosen.sample().group().stripes(); stripe++) {
            Set<Integer> missing = new TreeSet<>(lost);
            for (var file : files.entrySet()) {
                if (!chosen.intact(file.getKey(), stripe, Files.readAllBytes(file.getValue()))) {
                    missing.add(file.getKey());
                }
            }
            troubled.addAll(missing);
            hopeful &= chosen.recovers(missing);
        }
    }

    private Set<Integer> lost(Encoded encode) {
        Set<Integer> lost = new TreeSet<>();
        for (int unit = 0; unit < encode.units().size(); unit++) {
            if (!found.get(encode).containsKey(unit)) {
                lost.add(unit);
            }
        }
        return lost;
    }

    /** The group that is used; empty if the files are refused. */
    Optional<Encoded> chosen() {
        List<Encoded> sufficient = found.keySet().stream()
                .filter(encode -> found.size() == 1 || encode.recovers(lost(encode)))
                .toList();
        return twins || sufficient.size() != 1
                ? Optional.empty()
                : Optional.of(sufficient.get(0)).filter(this::largest);
    }

    private boolean largest(Encoded encode) {
        return found.entrySet().stream()
                .allMatch(each -> each.getKey().equals(encode)
                        || each.getValue().size() < found.get(encode).size());
    }

    Set<Integer> troubled() {
        return troubled;
    }

    boolean sound() {
        return chosen().isPresent() && troubled.isEmpty();
    }

    /** Whether everything can be decoded. */
    boolean hopeful() {
        return chosen().isPresent() && hopeful;
    }

    /** The files that a repair writes; empty if it must refuse. */
    Optional<Map<Path, byte[]>> repaired() throws IOException {
        if (!hopeful()) {
            return Optional.empty();
        }
        Encoded chosen = chosen().orElseThrow();
        Map<Path, byte[]> repaired = new HashMap<>();
        for (int unit : troubled) {
            Path own = found.get(chosen).get(unit);
            Path file = own == null ? directory.resolve(UnitGroup.fileName(unit)) : own;
            boolean taken = own == null && found.values().stream().anyMatch(files -> files.containsValue(file));
            if (taken || Files.isDirectory(file)) {
                return Optional.empty();
            }
            repaired.put(
                    Files.isRegularFile(file) ? file.toRealPath() : file,
                    chosen.units().get(unit));
        }
        return Optional.of(repaired);
    }
}
