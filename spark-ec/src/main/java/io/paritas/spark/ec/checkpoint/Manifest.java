/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import java.util.List;

/**
 * The description of a checkpoint. Immutable.
 *
 * @param id a unique random number
 * @param replaces ids of the checkpoints that were in its directories before
 * @param code the code
 * @param chunk length of a cell
 * @param directories number of directories
 * @param compression compression of the partitions
 * @param sparkVersion version of the Spark that wrote it
 * @param content content of the partitions
 * @param parts the partitions, in order
 */
record Manifest(
        String id,
        List<String> replaces,
        CodeName code,
        ChunkSize chunk,
        int directories,
        Compression compression,
        String sparkVersion,
        Content content,
        List<Part> parts) {

    /** Its name in the checkpoint's folder. */
    static final String FILE_NAME = "manifest.json";

    /** More than anybody has; a list of them fits into memory. */
    private static final int MOST_DIRECTORIES = 1 << 16;

    Manifest {
        replaces = List.copyOf(replaces);
        parts = List.copyOf(parts);
        UnitGroup.checkStripe(code, chunk);
        if (directories < 1 || directories > MOST_DIRECTORIES) {
            throw new IllegalArgumentException("directories must be 1 to " + MOST_DIRECTORIES + ", got " + directories);
        }
        for (int index = 0; index < parts.size(); index++) {
            if (parts.get(index).index() != index) {
                throw new IllegalArgumentException("the partitions of a checkpoint must be numbered from 0, got "
                        + parts.get(index).index() + " in the place of " + index);
            }
        }
    }

    /** The places of its unit files.
     *
     * @param places its directories, by number; null where one is not known
     */
    UnitFileLayout layout(List<String> places) {
        return new UnitFileLayout(id, code.toString(), chunk.bytes(), places);
    }
}
