/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.UnitsException;
import io.paritas.spark.job.Interrupt;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * A checkpoint that was found in some directories.
 *
 * @param manifest its manifest
 * @param directories its directories, by number; null where one was not given
 * @param damage the directories without an intact copy of the manifest, and why
 */
record Checkpoint(Manifest manifest, List<String> directories, Map<String, String> damage) {

    /** The manifests in a directory, and why there is none. */
    private record Found(List<ManifestCopy> copies, String trouble) {
        Optional<ManifestCopy> copyOf(String id) {
            return copies.stream()
                    .filter(copy -> copy.manifest().id().equals(id))
                    .findFirst();
        }
    }

    /**
     * Finds the checkpoint in some directories, in any order. A checkpoint that a newer one has replaced does not count.
     *
     * @throws FileNotFoundException if there is none
     * @throws UnitsException if there are several
     */
    static Checkpoint find(Storage storage, List<String> directories) throws IOException {
        Map<String, Found> found = look(storage, directories);
        Manifest manifest = current(found);
        return new Checkpoint(manifest, places(manifest, found), damage(manifest, found));
    }

    /**
     * The id of the checkpoint in some directories, which may be more than it has.
     *
     * @throws FileNotFoundException if there is none
     * @throws UnitsException if there are several
     */
    static String findId(Storage storage, List<String> directories) throws IOException {
        return current(look(storage, directories)).id();
    }

    /** The ids of all checkpoints that have a manifest, intact or not, in any of the directories. */
    static Set<String> ids(Storage storage, List<String> directories) throws IOException {
        Set<String> ids = new HashSet<>();
        for (String directory : directories) {
            for (FileStatus entry : storage.list(new Path(directory))) {
                Path file = new Path(entry.getPath(), Manifest.FILE_NAME);
                Optional<String> id = UnitFileLayout.idOf(entry.getPath().getName());
                if (id.isPresent() && storage.at(file).exists(file)) {
                    ids.add(id.get());
                }
            }
        }
        return ids;
    }

    private static Map<String, Found> look(Storage storage, List<String> directories) throws IOException {
        Map<String, Found> found = new LinkedHashMap<>();
        for (String directory : directories) {
            found.put(directory, look(storage, directory));
        }
        return found;
    }

    /** Looks for manifests in a directory. One that cannot be read counts as lost. */
    private static Found look(Storage storage, String directory) throws IOException {
        List<ManifestCopy> copies = new ArrayList<>();
        String trouble = "missing";
        try {
            for (FileStatus entry : storage.list(new Path(directory))) {
                Optional<String> id = UnitFileLayout.idOf(entry.getPath().getName());
                if (id.isPresent()) {
                    Path file = new Path(entry.getPath(), Manifest.FILE_NAME);
                    try (InputStream in = storage.at(file).open(file)) {
                        ManifestCopy copy = ManifestCopy.decode(in.readAllBytes());
                        requireId(id.get(), copy);
                        copies.add(copy);
                    } catch (UnitsException e) {
                        throw new UnitsException(file + ": " + e.getMessage());
                    } catch (FileNotFoundException e) {
                        // A checkpoint that was never completed.
                        continue;
                    } catch (IOException e) {
                        if (Interrupt.caused(e)) {
                            throw e;
                        }
                        trouble = file + " is damaged: " + e.getMessage();
                    }
                }
            }
        } catch (IOException e) {
            if (e instanceof UnitsException || Interrupt.caused(e)) {
                throw e;
            }
            trouble = directory + " cannot be read: " + e.getMessage();
        }
        return new Found(copies, trouble);
    }

    /** Files are looked for, and written, in the folder that the manifest's id names. */
    private static void requireId(String id, ManifestCopy copy) throws IOException {
        if (!copy.manifest().id().equals(id)) {
            throw new IOException("the manifest must be that of checkpoint " + id + ", got that of "
                    + copy.manifest().id());
        }
    }

    private static Manifest current(Map<String, Found> found) throws IOException {
        Map<String, Manifest> manifests = new TreeMap<>();
        found.values().stream()
                .flatMap(each -> each.copies.stream())
                .forEach(copy -> manifests.putIfAbsent(copy.manifest().id(), copy.manifest()));
        if (manifests.isEmpty()) {
            throw new FileNotFoundException("a directory must have an intact manifest of a checkpoint, got none:"
                    + found.entrySet().stream()
                            .map(entry -> "\n  " + entry.getKey() + ": " + entry.getValue().trouble)
                            .collect(Collectors.joining()));
        }
        Set<String> replaced = manifests.values().stream()
                .flatMap(manifest -> manifest.replaces().stream())
                .collect(Collectors.toSet());
        List<Manifest> current = manifests.values().stream()
                .filter(manifest -> !replaced.contains(manifest.id()))
                .toList();
        if (current.size() != 1) {
            throw new UnitsException("directories must have one checkpoint, got several:"
                    + current.stream()
                            .map(manifest -> "\n  " + manifest.id() + " in " + holders(manifest, found))
                            .collect(Collectors.joining())
                    + "\nname the directories of one of them");
        }
        return current.get(0);
    }

    private static List<String> holders(Manifest manifest, Map<String, Found> found) {
        return found.entrySet().stream()
                .filter(entry -> entry.getValue().copyOf(manifest.id()).isPresent())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Orders directories by the numbers in their manifests. Those without one get a free number, that of their place if they can. */
    private static List<String> places(Manifest manifest, Map<String, Found> found) throws UnitsException {
        if (found.size() > manifest.directories()) {
            throw new UnitsException("checkpoint " + manifest.id() + " must have at most " + manifest.directories()
                    + " directories, got " + found.size() + ": " + found.keySet());
        }
        String[] places = new String[manifest.directories()];
        for (var entry : found.entrySet()) {
            Optional<ManifestCopy> copy = entry.getValue().copyOf(manifest.id());
            if (copy.isPresent()) {
                int number = copy.get().directory();
                if (places[number] != null) {
                    throw new UnitsException("each directory of a checkpoint must be given once, got " + places[number]
                            + " and " + entry.getKey() + ", which are both number " + number + " of checkpoint "
                            + manifest.id());
                }
                places[number] = entry.getKey();
            }
        }
        List<String> given = List.copyOf(found.keySet());
        List<String> unplaced = new ArrayList<>(given);
        unplaced.removeAll(Arrays.asList(places));
        for (String directory : List.copyOf(unplaced)) {
            if (places[given.indexOf(directory)] == null) {
                places[given.indexOf(directory)] = directory;
                unplaced.remove(directory);
            }
        }
        for (int number = 0; number < places.length && !unplaced.isEmpty(); number++) {
            places[number] = places[number] == null ? unplaced.remove(0) : places[number];
        }
        return Arrays.asList(places);
    }

    private static Map<String, String> damage(Manifest manifest, Map<String, Found> found) {
        Map<String, String> damage = new LinkedHashMap<>();
        found.forEach((directory, what) -> {
            if (what.copyOf(manifest.id()).isEmpty()) {
                damage.put(directory, what.trouble);
            }
        });
        return damage;
    }

    /** The places of the unit files. */
    UnitFileLayout layout() {
        return manifest.layout(directories);
    }

    /**
     * Refuses directories that have too few units of a partition, whatever else is sound. Those that were given may still be empty.
     *
     * @throws UnitsException with the number of directories that are missing
     */
    void requireEnough() throws UnitsException {
        CodeName code = manifest.code();
        int k = code.parameters().k();
        long missing = directories.stream().filter(Objects::isNull).count();
        int parts = Math.min(manifest.parts().size(), directories.size()); // later ones are placed like these
        for (int part = 0; part < parts; part++) {
            int number = part;
            long units = IntStream.range(0, code.n())
                    .filter(unit -> directories.get(layout().directoryOf(number, unit)) != null)
                    .count();
            if (units < k) {
                throw new UnitsException("a checkpoint with " + code + " is read from at least " + k + " of "
                        + code.n() + " units of each partition, got " + units + " of partition " + part
                        + " of checkpoint " + manifest.id() + ", because " + missing + " of its "
                        + directories.size() + " directories are not named: name more of them");
            }
        }
    }

    /** Whether all directories were given. */
    boolean hasAllDirectories() {
        return directories.stream().allMatch(Objects::nonNull);
    }
}
