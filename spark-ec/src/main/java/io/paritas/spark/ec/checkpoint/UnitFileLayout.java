/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * The places of a checkpoint's unit files.
 *
 * @param id id of the checkpoint
 * @param code name of its code
 * @param chunk length of a cell, in bytes
 * @param directories its directories, by number; null where one is not known
 */
record UnitFileLayout(String id, String code, int chunk, List<String> directories) implements Serializable {
    private static final String PREFIX = "checkpoint-";

    UnitFileLayout {
        directories = Arrays.asList(directories.toArray(String[]::new));
    }

    /** The folder of a checkpoint in a directory. */
    static Path folder(String directory, String id) {
        return new Path(directory, PREFIX + id);
    }

    /** The id of the checkpoint whose folder has this name; empty for other folders. */
    static Optional<String> idOf(String folderName) {
        return folderName.startsWith(PREFIX) ? Optional.of(folderName.substring(PREFIX.length())) : Optional.empty();
    }

    /** The known directories. */
    List<String> known() {
        return directories.stream().filter(Objects::nonNull).toList();
    }

    /** The group of a partition's unit files. */
    UnitGroup group(Part part) {
        return new UnitGroup(CodeName.parse(code), new ChunkSize(chunk), part.length(), part.group());
    }

    /** A unit file of a partition; empty if its directory is not known. */
    Optional<Path> unitFile(Part part, int unit) {
        return Optional.ofNullable(directories.get(directoryOf(part.index(), unit)))
                .map(directory -> new Path(partFolder(directory, part), UnitGroup.fileName(unit)));
    }

    /** The folders of a partition's unit files in the known directories. */
    List<Path> partFolders(Part part) {
        return known().stream().map(directory -> partFolder(directory, part)).toList();
    }

    private Path partFolder(String directory, Part part) {
        return new Path(folder(directory, id), part.folder());
    }

    /** The number of a unit's directory. */
    int directoryOf(int part, int unit) {
        return (unit + part) % directories.size();
    }
}
